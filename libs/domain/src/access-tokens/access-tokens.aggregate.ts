import type { Aggregate } from '../kernel/aggregate.js';
import { accessTokensDecider, type AccessTokens, type AccessTokensCommand } from './access-tokens.decider.js';
import { accessTokensUpcasters, type AccessTokensEvent } from './access-tokens.events.js';

export const accessTokensAggregate: Aggregate<number, AccessTokens, AccessTokensCommand, AccessTokensEvent> = {
  name: 'access-tokens',
  decider: accessTokensDecider,
  upcasters: accessTokensUpcasters,
  streamPrefix: 'access-tokens-',
  streamOf: (accountId) => `access-tokens-${accountId}`,
};
