import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fold } from '../../testing/fold.js';
import { ACCOUNTS, play, story } from '../../testing/story.js';
import type { World } from '../../testing/world.js';
import { accountOfAccessToken } from './access-token-id.js';
import { accessTokensAggregate, type AccessTokens } from './access-tokens.decider.js';
import { isSecretExpired } from '../kernel/named-secrets.js';

/** Checks a property of the tokens of each account after random stories: several clients change a few accounts in any order. */
const always = (holds: (world: World, accountId: number) => void) =>
  fc.assert(
    fc.property(story, (each) => {
      const world = play(each);
      for (const accountId of ACCOUNTS) holds(world, accountId);
    }),
    { numRuns: 100 },
  );

const eventsOf = (world: World, accountId: number) =>
  world.log
    .filter(({ stream }) => stream === accessTokensAggregate.streamOf(accountId))
    .flatMap(({ events }) => events);

/** Returns the states after each event. */
function statesOf(world: World, accountId: number): AccessTokens[] {
  const states = [accessTokensAggregate.decider.initialState];
  for (const event of eventsOf(world, accountId)) states.push(fold(accessTokensAggregate, [event], states.at(-1)));
  return states;
}

const expectUnique = (values: readonly unknown[]) => expect(values).toStrictEqual([...new Set(values)]);

it('tokens that have not expired have unique names', () => {
  always((world, accountId) => {
    for (const { tokens } of statesOf(world, accountId)) {
      const lastCreation = tokens.at(-1)?.createdAt ?? 0;
      expectUnique(tokens.filter((token) => !isSecretExpired(token, lastCreation)).map(({ name }) => name));
    }
  });
});

it('ids of tokens increase and identify the account', () => {
  always((world, accountId) => {
    const created = eventsOf(world, accountId).filter(({ type }) => type === 'AccessTokenCreated');
    const ids = created.map(({ data }) => Number(data.tokenId));
    expectUnique(ids);
    expect(ids).toStrictEqual(ids.toSorted((a, b) => a - b));
    expect(ids.map(accountOfAccessToken)).toStrictEqual(ids.map(() => accountId));
  });
});

it('a revoked token never returns', () => {
  always((world, accountId) => {
    const events = eventsOf(world, accountId);
    const revoked = events.filter(({ type }) => type === 'AccessTokenRevoked').map(({ data }) => data.tokenId);
    expectUnique(revoked);
    const { state } = world.load(accessTokensAggregate, accountId);
    expect(state.tokens.filter(({ tokenId }) => revoked.includes(tokenId))).toEqual([]);
  });
});
