import type { Aggregate } from '../kernel/aggregate.js';
import { requireMaxBytes, TEXT_BYTES } from '../kernel/bounded-text.js';
import type { Decider, Decision } from '../kernel/decider.js';
import { DomainError } from '../kernel/domain-error.js';
import { requireRoomFor, withNewSecret } from '../kernel/named-secrets.js';
import { accessTokenIdOf, LAST_TOKEN_NUMBER } from './access-token-id.js';
import { accessTokenScopes, type AccessTokenScope } from './access-token-scopes.js';
import { accessTokensUpcasters, type AccessTokenCreated, type AccessTokensEvent } from './access-tokens.events.js';

/** A token with its id, name, scopes, times in unix milliseconds, and the hash of its secret. */
export type AccessToken = AccessTokenCreated['data'];

/** The tokens of one account in the order of their creation. `tokensEver` also counts those that are gone. */
export type AccessTokens = Readonly<{ tokens: readonly AccessToken[]; tokensEver: number }>;

/** Creates a token. `now` and `expiresAt` are in unix milliseconds; a token without `expiresAt` never expires. */
export type CreateAccessToken = Readonly<{
  type: 'CreateAccessToken';
  accountId: number;
  name: string;
  scopes: readonly AccessTokenScope[];
  expiresAt: number | null;
  hash: string;
  now: number;
}>;
/** Revokes a token. Refused with `access-token-not-found` if the account has no such token. */
export type RevokeAccessToken = Readonly<{ type: 'RevokeAccessToken'; tokenId: number }>;
export type AccessTokensCommand = CreateAccessToken | RevokeAccessToken;

/**
 * Decides on the access tokens of one account. Names of tokens that have not expired are unique and compared exactly. If there are several
 * reasons to refuse a creation, the first of these applies: length of the name, expiry, name, limit.
 *
 * An expired token stays until it is revoked, a new token takes its name, or a new token needs its place.
 */
export const accessTokensDecider: Decider<AccessTokens, AccessTokensCommand, AccessTokensEvent> = {
  initialState: { tokens: [], tokensEver: 0 },
  decide: (state, command) => (command.type === 'CreateAccessToken' ? create(state, command) : revoke(state, command)),
  evolve,
};

export const accessTokensAggregate: Aggregate<number, AccessTokens, AccessTokensCommand, AccessTokensEvent> = {
  name: 'access-tokens',
  decider: accessTokensDecider,
  upcasters: accessTokensUpcasters,
  streamPrefix: 'access-tokens-',
  streamOf: (accountId) => `access-tokens-${accountId}`,
};

const REFUSALS = {
  expiryInvalid: 'access-token-expiry-invalid',
  nameTaken: 'access-token-name-taken',
  limitReached: 'access-token-limit-reached',
} as const;

function create({ tokens, tokensEver }: AccessTokens, command: CreateAccessToken): Decision<AccessTokensEvent> {
  const { accountId, name, scopes, expiresAt, hash, now } = command;
  requireMaxBytes(name, TEXT_BYTES.secretName, 'access-token-name-too-long');
  requireRoomFor(command, tokens, REFUSALS);
  if (tokensEver >= LAST_TOKEN_NUMBER) throw new DomainError(REFUSALS.limitReached);
  const tokenId = accessTokenIdOf(accountId, tokensEver + 1);
  const inOrder = accessTokenScopes.filter((scope) => scopes.includes(scope));
  const data = { tokenId, name, scopes: inOrder, createdAt: now, expiresAt, hash };
  return { events: [{ type: 'AccessTokenCreated', v: 1, data }] };
}

function revoke({ tokens }: AccessTokens, { tokenId }: RevokeAccessToken): Decision<AccessTokensEvent> {
  if (!tokens.some((token) => token.tokenId === tokenId)) throw new DomainError('access-token-not-found');
  return { events: [{ type: 'AccessTokenRevoked', v: 1, data: { tokenId } }] };
}

function evolve({ tokens, tokensEver }: AccessTokens, event: AccessTokensEvent): AccessTokens {
  switch (event.type) {
    case 'AccessTokenCreated':
      return { tokens: withNewSecret(event.data, tokens), tokensEver: tokensEver + 1 };
    case 'AccessTokenRevoked':
      return { tokens: tokens.filter(({ tokenId }) => tokenId !== event.data.tokenId), tokensEver };
  }
}
