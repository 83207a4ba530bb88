import type {
  AccessTokenCreated,
  AccessTokenRevoked,
  CreateAccessToken,
  RevokeAccessToken,
} from '../src/named-secrets/access-tokens.js';
import type {
  AppPasswordCreated,
  AppPasswordRevoked,
  CreateAppPassword,
  RevokeAppPassword,
} from '../src/named-secrets/app-passwords.js';
import { secretIdOf } from '../src/named-secrets/named-secrets.js';
import { NOON } from './account.events.js';

/** Returns the creation of the n-th token ever of account 7. */
export const tokenCreated = (n: number, differing: Partial<AccessTokenCreated['data']> = {}): AccessTokenCreated => ({
  type: 'AccessTokenCreated',
  v: 1,
  data: {
    tokenId: secretIdOf(7, n),
    name: `secret ${n}`,
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
  data: { tokenId: secretIdOf(7, n) },
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
  id: secretIdOf(7, n),
  now: NOON,
});

export const revokeAllTokens = { type: 'RevokeAllAccessTokens', now: NOON } as const;

/** Returns the creation of the n-th app password ever of account 7. */
export const appPasswordCreated = (
  n: number,
  differing: Partial<AppPasswordCreated['data']> = {},
): AppPasswordCreated => ({
  type: 'AppPasswordCreated',
  v: 1,
  data: {
    appPasswordId: secretIdOf(7, n),
    name: `secret ${n}`,
    protocol: 'webdav',
    createdAt: NOON,
    expiresAt: null,
    hash: `hash of ${n}`,
    ...differing,
  },
});

/** Returns the revocation of the n-th app password ever of account 7. */
export const appPasswordRevoked = (n: number, revokedAt = NOON): AppPasswordRevoked => ({
  type: 'AppPasswordRevoked',
  v: 1,
  data: { appPasswordId: secretIdOf(7, n), revokedAt },
});

export const createAppPassword = (name: string, differing: Partial<CreateAppPassword> = {}): CreateAppPassword => ({
  type: 'CreateAppPassword',
  accountId: 7,
  name,
  protocol: 'webdav',
  expiresAt: null,
  hash: `hash of ${name}`,
  now: NOON,
  ...differing,
});

export const revokeAppPassword = (n: number): RevokeAppPassword => ({
  type: 'RevokeAppPassword',
  id: secretIdOf(7, n),
  now: NOON,
});

export const revokeAllAppPasswords = { type: 'RevokeAllAppPasswords', now: NOON } as const;
