import type { DomainEvent } from '../kernel/event.js';
import {
  namedSecretsAggregate,
  type CreateSecret,
  type NamedSecret,
  type NamedSecrets,
  type RevokeAllSecrets,
  type RevokeSecret,
  type SecretKind,
} from './named-secrets.js';

/** The uses that an access token can be limited to, in the order in which tokens list them. */
export const accessTokenScopes = [
  'profile:read',
  'activity:read',
  'keys:manage',
  'files',
  'accounts:read',
  'accounts:manage',
  'accounts:audit',
  'settings:read',
  'keys:find',
  'keys:look-up',
  'logins:verify',
] as const;
export type AccessTokenScope = (typeof accessTokenScopes)[number];

const OF_EVERYBODY: readonly AccessTokenScope[] = ['profile:read', 'activity:read', 'keys:manage', 'files'];
const IMPLIED: Partial<Record<AccessTokenScope, AccessTokenScope>> = { 'accounts:manage': 'accounts:read' };

/** Returns whether only an administrator can give this scope to a token. */
export const isAdminScope = (scope: AccessTokenScope): boolean => !OF_EVERYBODY.includes(scope);

/** Returns the scope that this one includes, if any. Managing accounts includes reading them, but not their history. */
export const impliedScope = (scope: AccessTokenScope): AccessTokenScope | undefined => IMPLIED[scope];

/** Returns whether a token with these scopes may do what `wanted` allows. */
export const grantsScope = (scopes: readonly AccessTokenScope[], wanted: AccessTokenScope): boolean =>
  scopes.some((scope) => scope === wanted || impliedScope(scope) === wanted);

type Scopes = Readonly<{ scopes: readonly AccessTokenScope[] }>;
export type AccessToken = NamedSecret & Scopes;
export type AccessTokens = NamedSecrets<AccessToken>;

export type CreateAccessToken = CreateSecret<'CreateAccessToken'> & Scopes;
export type RevokeAccessToken = RevokeSecret<'RevokeAccessToken'>;
export type RevokeAllAccessTokens = RevokeAllSecrets<'RevokeAllAccessTokens'>;
export type AccessTokensCommand = CreateAccessToken | RevokeAccessToken | RevokeAllAccessTokens;

/**
 * A token was created. `tokenId` is the account id times 2^20 plus a number that is never reused. Times are in unix milliseconds;
 * `expiresAt` is null if the token never expires. `hash` is the SHA-256 of the secret in base64url, and only the store may contain it.
 */
export type AccessTokenCreated = DomainEvent<
  'AccessTokenCreated',
  {
    tokenId: number;
    name: string;
    scopes: readonly AccessTokenScope[];
    createdAt: number;
    expiresAt: number | null;
    hash: string;
  },
  undefined
>;

/** A token was revoked and is refused from then on. */
export type AccessTokenRevoked = DomainEvent<'AccessTokenRevoked', { tokenId: number }, undefined>;

export type AccessTokensEvent = AccessTokenCreated | AccessTokenRevoked;

const kind: SecretKind<AccessToken, CreateAccessToken, AccessTokensEvent> = {
  name: 'access-token',
  upcasters: { AccessTokenCreated: [], AccessTokenRevoked: [] },
  created(tokenId, { name, scopes, now, expiresAt, hash }) {
    const inOrder = accessTokenScopes.filter((scope) => scopes.includes(scope));
    const data = { tokenId, name, scopes: inOrder, createdAt: now, expiresAt, hash };
    return { type: 'AccessTokenCreated', v: 1, data };
  },
  revoked: (tokenId) => ({ type: 'AccessTokenRevoked', v: 1, data: { tokenId } }),
  effectOf(event) {
    if (event.type === 'AccessTokenRevoked') return event.data.tokenId;
    const { tokenId: id, ...fields } = event.data;
    return { id, ...fields };
  },
};

export const accessTokensAggregate = namedSecretsAggregate<
  AccessToken,
  CreateAccessToken,
  RevokeAccessToken | RevokeAllAccessTokens,
  AccessTokensEvent
>(kind);
