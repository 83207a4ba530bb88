import {
  accessTokensAggregate,
  accountAggregate,
  appPasswordsAggregate,
  sessionAggregate,
  siteSettingsAggregate,
  sshKeyRingAggregate,
  sshKeyUseAggregate,
  type Aggregate,
  type DomainEvent,
} from '@keyfold/domain';
import { expect, it } from 'vitest';
import { registered } from '../../../domain/testing/account.events.js';
import { appPasswordCreated, appPasswordRevoked, tokenCreated } from '../../../domain/testing/named-secrets.events.js';
import { stateAfter } from '../../../domain/testing/decider-specification.js';
import { keyAdded, publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { keyUsed } from '../../../domain/testing/ssh-key-use.events.js';
import { weightOf } from './state-weight.js';

const large = registered('ä'.repeat(2048), { basePath: `/${'a'.repeat(4095)}`, ssoId: 'a'.repeat(1024) });
const commented = { ...publicKey('desk'), comment: 'c'.repeat(15 * 1024) };
const many = <Event>(count: number, event: (n: number) => Event) =>
  Array.from({ length: count }, (_, n) => event(n + 1));
const longName = (n: number) => ({ name: `${n - 1}`.padEnd(600) });

it.each([
  ['an ordinary account', 1, weightAfter(accountAggregate, registered('ann'))],
  ['an account with long texts', 33, weightAfter(accountAggregate, large)],
  ['an account whose name has many escapes', 10, weightAfter(accountAggregate, registered('<'.repeat(682)))],
  ['a session', 1, weightAfter(sessionAggregate)],
  ['the settings', 4, weightAfter(siteSettingsAggregate)],
  ['a ring without keys', 1, weightAfter(sshKeyRingAggregate)],
  ['a ring of two keys', 2, weightAfter(sshKeyRingAggregate, keyAdded(1, 'laptop'), keyAdded(2, 'phone'))],
  ['a ring with a long comment', 32, weightAfter(sshKeyRingAggregate, keyAdded(1, 'desk', commented))],
  ['uses of 21 keys', 3, weightAfter(sshKeyUseAggregate, ...many(21, (n) => keyUsed(n, 0)))],
  ['no access token', 1, weightAfter(accessTokensAggregate)],
  ['one access token', 2, weightAfter(accessTokensAggregate, tokenCreated(1))],
  ['100 access tokens', 177, weightAfter(accessTokensAggregate, ...many(100, (n) => tokenCreated(n, longName(n))))],
  ['no app password', 1, weightAfter(appPasswordsAggregate)],
  ['one app password', 2, weightAfter(appPasswordsAggregate, appPasswordCreated(1))],
  [
    '100 app passwords',
    168,
    weightAfter(appPasswordsAggregate, ...many(100, (n) => appPasswordCreated(n, longName(n)))),
  ],
  [
    '100 former app passwords',
    26,
    weightAfter(appPasswordsAggregate, ...many(150, (n) => [appPasswordCreated(n), appPasswordRevoked(n)]).flat()),
  ],
])('%s weighs %i', (_state, expected, weight) => {
  expect(weight).toBe(expected);
});

function weightAfter<Id, State, Command, Event extends DomainEvent>(
  { name, decider }: Aggregate<Id, State, Command, Event>,
  ...events: readonly NoInfer<Event>[]
): number {
  return weightOf({ name }, stateAfter(decider, ...events));
}
