import fc from 'fast-check';
import { accountAggregate } from '../src/account/account.aggregate.js';
import { sessionAggregate } from '../src/session/session.aggregate.js';
import { sshKeyRingAggregate } from '../src/ssh-key-ring/ssh-key-ring.aggregate.js';
import { sshKeyUseAggregate } from '../src/ssh-key-use/ssh-key-use.aggregate.js';
import type { UpdateAccount } from '../src/account/account.commands.js';
import { NameRules } from '../src/account/name-rules.js';
import { keyIdOf } from '../src/ssh-key-ring/ssh-key-id.js';
import {
  changeOwnProfile,
  deleteAccount,
  disableTwoFactor,
  enableTwoFactor,
  lockTwoFactor,
  newPassword,
  register,
  startEnrolment,
  update,
} from './account.commands.js';
import { MINUTE } from './account.events.js';
import { login } from './session.events.js';
import { publicKey } from './ssh-key-ring.events.js';
import { handle, World } from './world.js';

/** The accounts, sessions and names of every story: few, so that clients meet. */
export const ACCOUNTS = [3, 4, 5] as const;
export const SESSIONS = ['s1', 's2', 's3'] as const;
export const NAMES = ['ann', 'bea', 'cid', 'Ann'] as const;
/** In a story another account may take a released name itself after this time, in milliseconds. */
export const RELEASED_FOR = 20 * MINUTE;
const NAME_RULES = new NameRules(RELEASED_FOR, []);

const account = fc.constantFrom(...ACCOUNTS);
const sessionId = fc.constantFrom(...SESSIONS);
const username = fc.constantFrom(...NAMES);
const withPassword = fc.boolean();
const step = fc.constantFrom(1, 2, 3);
const keyNumber = fc.integer({ min: 1, max: 4 });
const does = <Do extends string>(verb: Do) => fc.constant(verb);

const action = fc.oneof(
  fc.record({ do: does('register'), account, username }),
  fc.record({ do: does('update'), account, username, withPassword, permission: fc.nat(1), disabled: fc.boolean() }),
  fc.record({ do: does('change-own-profile'), account, username, withPassword }),
  fc.record({ do: does('start-enrolment'), account }),
  fc.record({ do: does('start-enrolment'), account }),
  /** `back` proves not the last secret but one before it. */
  fc.record({ do: does('enable'), account, back: fc.constantFrom(0, 0, 0, 1), step }),
  fc.record({ do: does('enable'), account, back: fc.constant(0), step }),
  fc.record({ do: does('disable-two-factor'), account }),
  fc.record({ do: does('lock-two-factor'), account }),
  fc.record({ do: does('delete'), account }),
  fc.record({ do: does('log-in'), account, sessionId, step }),
  fc.record({ do: does('log-in'), account, sessionId, step }),
  fc.record({ do: does('log-out'), sessionId }),
  fc.record({
    do: does('add-key'),
    account,
    title: fc.constantFrom('laptop', 'phone'),
    key: fc.constantFrom('k1', 'k2'),
  }),
  fc.record({ do: does('remove-key'), account, n: keyNumber }),
  fc.record({ do: does('use-key'), account, n: keyNumber, minutesAgo: fc.constantFrom(0, 0, 3, 20) }),
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** What several clients want one after another, and in which order they come to act: turns of a client, with time in between. */
export type Story = Readonly<{
  clients: readonly (readonly Action[])[];
  turns: readonly Readonly<{ client: number; minutes: number }>[];
}>;

export const story: fc.Arbitrary<Story> = fc.record({
  clients: fc.array(fc.array(action, { minLength: 4, maxLength: 20, size: 'max' }), { minLength: 2, maxLength: 4 }),
  turns: fc.array(fc.record({ client: fc.nat(3), minutes: fc.constantFrom(0, 0, 0, 1, 5, 11) }), {
    maxLength: 150,
    size: 'max',
  }),
});

/** Plays a story to its end, from a world in which two of the accounts are there. */
export function play({ clients, turns }: Story): World {
  const world = new World();
  finish(
    live(world, [
      { do: 'register', account: 3, username: 'ann' },
      { do: 'register', account: 4, username: 'bea' },
    ]),
  );
  const lives = clients.map((actions) => live(world, actions));
  for (const { client, minutes } of turns) {
    world.now += minutes * MINUTE;
    lives[client % lives.length]!.next();
  }
  lives.forEach(finish);
  return world;
}

function* live(world: World, actions: readonly Action[]): Generator<void, void> {
  for (const wanted of actions) yield* act(world, wanted);
}

function finish(life: Generator<void, void>) {
  while (!life.next().done);
}

function* act(world: World, wanted: Action): Generator<void, void> {
  switch (wanted.do) {
    case 'log-in':
      return yield* logIn(world, wanted.account, wanted.sessionId, wanted.step);
    case 'log-out':
      return yield* handle(world, sessionAggregate, wanted.sessionId, () => ({ type: 'EndSession', reason: 'logout' }));
    case 'add-key': {
      const { account: accountId, title, key } = wanted;
      const added = { type: 'AddSshKey', accountId, title, key: publicKey(key), now: world.now } as const;
      return yield* handle(world, sshKeyRingAggregate, accountId, () => added);
    }
    case 'remove-key': {
      const keyId = keyIdOf(wanted.account, wanted.n);
      return yield* handle(world, sshKeyRingAggregate, wanted.account, () => ({ type: 'RemoveSshKey', keyId }));
    }
    case 'use-key': {
      const usedAt = world.now - wanted.minutesAgo * MINUTE;
      const used = { type: 'RecordSshKeyUse', keyId: keyIdOf(wanted.account, wanted.n), usedAt } as const;
      return yield* handle(world, sshKeyUseAggregate, wanted.account, () => used);
    }
    default:
      return yield* changeAccount(world, wanted);
  }
}

type SessionOrKeyAction = 'log-in' | 'log-out' | 'add-key' | 'remove-key' | 'use-key';
type AccountAction = Exclude<Action, { do: SessionOrKeyAction }>;

function* changeAccount(world: World, wanted: AccountAction): Generator<void, void> {
  const name = 'username' in wanted ? world.claim(wanted.username) : undefined;
  const password = newPassword('another', Math.floor(world.now / 1000));
  if (name) yield;
  return yield* handle(world, accountAggregate, wanted.account, (state) => {
    switch (wanted.do) {
      case 'register':
        return register(wanted.username, { accountId: wanted.account, name });
      case 'update': {
        const { permission, disabled } = wanted;
        const differing: Partial<UpdateAccount> = { name, permission, disabled };
        return update(wanted.username, wanted.withPassword ? { ...differing, password } : differing);
      }
      case 'change-own-profile': {
        const differing = { name, nameRules: NAME_RULES, now: world.now };
        return changeOwnProfile(wanted.username, wanted.withPassword ? { ...differing, password } : differing);
      }
      case 'start-enrolment':
        return startEnrolment(state.enrolments + 1, world.now);
      case 'enable':
        return enableTwoFactor(state.enrolments - wanted.back, wanted.step, world.now);
      case 'disable-two-factor':
        return disableTwoFactor;
      case 'lock-two-factor':
        return lockTwoFactor;
      case 'delete':
        return deleteAccount;
    }
  });
}

/** A login with the right password and, where one is asked for, a right code; the account may change in the meantime. */
function* logIn(world: World, accountId: number, id: string, codeStep: number): Generator<void, void> {
  const { state } = world.load(accountAggregate, accountId);
  yield;
  if (state.status !== 'active' || state.disabled || state.twoFactor?.locked) return;
  const session = login({ sessionId: id, accountId, credential: state.credential });
  const usedCode = state.twoFactor && { enrolment: state.twoFactor.enrolment, step: codeStep };
  yield* handle(world, sessionAggregate, id, () =>
    usedCode ? { type: 'StartSession', session, usedCode } : { type: 'StartSession', session },
  );
}
