import { memoryOf } from '../kernel/bounded-text.js';
import type { Aggregate } from '../kernel/aggregate.js';
import { accessTokensDecider, type AccessTokens, type AccessTokensCommand } from './access-tokens.decider.js';
import { accessTokensUpcasters, type AccessTokensEvent } from './access-tokens.events.js';

/** Memory of a token without its name, in bytes: object, hash and scopes. */
const TOKEN_OVERHEAD = 600;

export const accessTokensAggregate: Aggregate<number, AccessTokens, AccessTokensCommand, AccessTokensEvent> = {
  name: 'access-tokens',
  decider: accessTokensDecider,
  upcasters: accessTokensUpcasters,
  streamPrefix: 'access-tokens-',
  streamOf: (accountId) => `access-tokens-${accountId}`,
  weightOf: ({ tokens }) =>
    1 + Math.ceil(tokens.reduce((sum, { name }) => sum + TOKEN_OVERHEAD + memoryOf(name), 0) / 1024),
};
