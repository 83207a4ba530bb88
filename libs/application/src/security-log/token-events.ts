import { ADMIN_ID } from '@keyfold/domain';
import type { TokenFlaw } from '@keyfold/security';
import type { Origin } from '../origin.js';
import type { SecurityEvent } from './security-log.js';

/** How every static token begins (wire contract 1.4). */
const STATIC_TOKEN = 'openlist-';

/** A request came with the static token and speaks for the administrator. */
export const usedApiToken = (origin: Origin): SecurityEvent => ({
  name: 'authn_token_use',
  about: [ADMIN_ID, 'static'],
  account: ADMIN_ID,
  outcome: 'accepted',
  origin,
});

/** A request came with a token that is neither ours nor the static one. Nothing of the token goes into the log. */
export function refusedToken(token: string, flaw: TokenFlaw, origin: Origin): SecurityEvent {
  if (flaw === 'of_device') return { name: 'authn_token_fail', about: ['device'], outcome: 'refused', origin };
  if (flaw !== 'no_token') return { name: 'authn_token_forged', about: [flaw], outcome: 'refused', origin };
  const kind = token.startsWith(STATIC_TOKEN) ? 'static' : 'unknown';
  return { name: 'authn_token_fail', about: [kind], outcome: 'refused', origin };
}
