import { accessTokenIdOf } from '../src/access-tokens/access-token-id.js';
import type { CreateAccessToken, RevokeAccessToken } from '../src/access-tokens/access-tokens.decider.js';
import type { AccessTokenCreated, AccessTokenRevoked } from '../src/access-tokens/access-tokens.events.js';
import { NOON } from './account.events.js';

/** Returns the creation of the n-th token ever of account 7. */
export const tokenCreated = (n: number, differing: Partial<AccessTokenCreated['data']> = {}): AccessTokenCreated => ({
  type: 'AccessTokenCreated',
  v: 1,
  data: {
    tokenId: accessTokenIdOf(7, n),
    name: `token ${n}`,
    scopes: ['profile:read'],
    createdAt: NOON,
    expiresAt: null,
    hash: `hash of ${n}`,
    ...differing,
  },
});

/** Returns the revocation of the n-th token ever of account 7. */
export const tokenRevoked = (n: number): AccessTokenRevoked => ({
  type: 'AccessTokenRevoked',
  v: 1,
  data: { tokenId: accessTokenIdOf(7, n) },
});

export const createToken = (name: string, differing: Partial<CreateAccessToken> = {}): CreateAccessToken => ({
  type: 'CreateAccessToken',
  accountId: 7,
  name,
  scopes: ['profile:read'],
  expiresAt: null,
  hash: `hash of ${name}`,
  now: NOON,
  ...differing,
});

export const revokeToken = (n: number): RevokeAccessToken => ({
  type: 'RevokeAccessToken',
  tokenId: accessTokenIdOf(7, n),
});
