import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MINUTE, NOON } from '../../testing/account.events.js';
import { createAppPassword, revokeAppPassword } from '../../testing/app-passwords.events.js';
import { fold } from '../../testing/fold.js';
import { DomainError } from '../kernel/domain-error.js';
import { isSecretExpired } from '../kernel/named-secrets.js';
import { accountOfAppPassword } from './app-password-id.js';
import { appPasswordsAggregate } from './app-passwords.aggregate.js';
import type { AppPasswords } from './app-passwords.decider.js';
import type { AppPasswordsEvent } from './app-passwords.events.js';

const action = fc.record({
  create: fc.boolean(),
  name: fc.constantFrom('phone', 'laptop', 'tv'),
  n: fc.integer({ min: 1, max: 5 }),
  minutes: fc.constantFrom(null, 5, 30),
  pause: fc.constantFrom(0, 1, 10),
});

/** What happened in a story: all events, and the state after each with its time. */
type Told = Readonly<{ events: AppPasswordsEvent[]; states: { state: AppPasswords; now: number }[] }>;

/** Checks a property of the app passwords of one account after random commands, refused ones included. */
const always = (holds: (told: Told) => void) =>
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60, size: 'max' }), (actions) => {
      const events: AppPasswordsEvent[] = [];
      const states: Told['states'] = [];
      let [state, now] = [appPasswordsAggregate.decider.initialState, NOON];
      for (const { create, name, n, minutes, pause } of actions) {
        now += pause * MINUTE;
        const expiresAt = minutes === null ? null : now + minutes * MINUTE;
        const command = create ? createAppPassword(name, { expiresAt, now }) : revokeAppPassword(n);
        for (const event of eventsOf(state, command)) {
          state = appPasswordsAggregate.decider.evolve(state, event);
          events.push(event);
          states.push({ state, now });
        }
      }
      holds({ events, states });
    }),
    { numRuns: 200 },
  );

function eventsOf(state: AppPasswords, command: Parameters<typeof appPasswordsAggregate.decider.decide>[1]) {
  try {
    return appPasswordsAggregate.decider.decide(state, command).events;
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}

it('app passwords that have not expired have unique names', () => {
  always(({ states }) => {
    for (const { state, now } of states) {
      const live = state.passwords.filter((each) => !isSecretExpired(each, now)).map(({ name }) => name);
      expect(live).toStrictEqual([...new Set(live)]);
    }
  });
});

it('ids of app passwords increase and identify the account', () => {
  always(({ events }) => {
    const created = events.filter(({ type }) => type === 'AppPasswordCreated').map(({ data }) => data.appPasswordId);
    expect(created).toStrictEqual([...new Set(created)].toSorted((a, b) => a - b));
    expect(created.map(accountOfAppPassword)).toStrictEqual(created.map(() => 7));
  });
});

it('a revoked app password never returns, and all events together lead to the last state', () => {
  always(({ events, states }) => {
    const revoked = events.filter(({ type }) => type === 'AppPasswordRevoked').map(({ data }) => data.appPasswordId);
    expect(revoked).toStrictEqual([...new Set(revoked)]);
    const last = fold(appPasswordsAggregate, events);
    expect(last.passwords.filter(({ appPasswordId }) => revoked.includes(appPasswordId))).toEqual([]);
    expect(last).toStrictEqual(states.at(-1)?.state ?? appPasswordsAggregate.decider.initialState);
  });
});
