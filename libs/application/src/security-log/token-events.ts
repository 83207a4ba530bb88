import { ADMIN_ID } from '@keyfold/domain';
import type { TokenFlaw } from '@keyfold/security';
import type { Origin } from '../origin.js';
import type { SecurityEvent } from './security-log.js';

/** The prefix of every static token (wire contract 1.4). */
const STATIC_TOKEN_PREFIX = 'openlist-';

/** Returns the event of a request that the static token authorised as the admin. */
export const staticTokenUsed = (origin: Origin): SecurityEvent => ({
  name: 'authn_token_use',
  about: [ADMIN_ID, 'static'],
  account: ADMIN_ID,
  outcome: 'accepted',
  origin,
});

/** Returns the event of a request whose token is neither one of ours nor the static token. No part of the token is logged. */
export function tokenRefused(token: string, flaw: TokenFlaw, origin: Origin): SecurityEvent {
  if (flaw === 'of_device') return { name: 'authn_token_fail', about: ['device'], outcome: 'refused', origin };
  if (flaw !== 'no_token') return { name: 'authn_token_forged', about: [flaw], outcome: 'refused', origin };
  const kind = token.startsWith(STATIC_TOKEN_PREFIX) ? 'static' : 'unknown';
  return { name: 'authn_token_fail', about: [kind], outcome: 'refused', origin };
}

/** Returns the event of a login through a file server with an app password of the account that does not open it, such as a revoked one. */
export const appPasswordRefused = (account: number, appPasswordId: number, origin: Origin): SecurityEvent => ({
  name: 'authn_token_fail',
  about: ['app_password', appPasswordId],
  account,
  outcome: 'refused',
  origin,
});

/** Returns the event of a request whose access token is unknown, revoked or mistyped. No part of the token is logged. */
export const accessTokenRefused = (origin: Origin): SecurityEvent => ({
  name: 'authn_token_fail',
  about: ['access'],
  outcome: 'refused',
  origin,
});
