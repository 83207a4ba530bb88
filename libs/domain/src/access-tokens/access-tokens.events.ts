import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';
import type { AccessTokenScope } from './access-token-scopes.js';

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

export const accessTokensUpcasters: Upcasters<AccessTokensEvent['type']> = {
  AccessTokenCreated: [],
  AccessTokenRevoked: [],
};
