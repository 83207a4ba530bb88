import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fold } from '../../testing/fold.js';
import { ACCOUNTS, play, story } from '../../testing/story.js';
import { isSecretExpired } from '../kernel/named-secrets.js';
import { accountOfAppPassword } from './app-password-id.js';
import { appPasswordsAggregate, type AppPasswords } from './app-passwords.decider.js';
import type { AppPasswordsEvent } from './app-passwords.events.js';

/** Checks a property of the app passwords of each account after random stories: several clients change a few accounts in any order. */
const always = (holds: (events: readonly AppPasswordsEvent[], accountId: number) => void) =>
  fc.assert(
    fc.property(story, (each) => {
      const { log } = play(each);
      for (const accountId of ACCOUNTS) {
        const commits = log.filter(({ stream }) => stream === appPasswordsAggregate.streamOf(accountId));
        holds(commits.flatMap(({ events }) => events) as AppPasswordsEvent[], accountId);
      }
    }),
    { numRuns: 100 },
  );

/** Returns the states after each event. */
function statesOf(events: readonly AppPasswordsEvent[]): AppPasswords[] {
  const states = [appPasswordsAggregate.decider.initialState];
  for (const event of events) states.push(fold(appPasswordsAggregate, [event], states.at(-1)));
  return states;
}

const expectUnique = (values: readonly unknown[]) => expect(values).toStrictEqual([...new Set(values)]);
const idsOf = (events: readonly AppPasswordsEvent[], type: AppPasswordsEvent['type']) =>
  events.filter((event) => event.type === type).map(({ data }) => data.appPasswordId);

it('app passwords that have not expired have unique names', () => {
  always((events) => {
    for (const { passwords } of statesOf(events)) {
      const lastCreation = passwords.at(-1)?.createdAt ?? 0;
      expectUnique(passwords.filter((each) => !isSecretExpired(each, lastCreation)).map(({ name }) => name));
    }
  });
});

it('ids of app passwords increase and identify the account', () => {
  always((events, accountId) => {
    const ids = idsOf(events, 'AppPasswordCreated');
    expectUnique(ids);
    expect(ids).toStrictEqual(ids.toSorted((a, b) => a - b));
    expect(ids.map(accountOfAppPassword)).toStrictEqual(ids.map(() => accountId));
  });
});

it('a revoked app password never returns', () => {
  always((events) => {
    const revoked = idsOf(events, 'AppPasswordRevoked');
    expectUnique(revoked);
    const { passwords } = fold(appPasswordsAggregate, events);
    expect(passwords.filter(({ appPasswordId }) => revoked.includes(appPasswordId))).toEqual([]);
  });
});
