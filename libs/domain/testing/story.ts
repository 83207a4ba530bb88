import fc from 'fast-check';
import { accountAggregate } from '../src/account/account.decider.js';
import { sessionAggregate } from '../src/session/session.decider.js';
import { accessTokensAggregate } from '../src/named-secrets/access-tokens.js';
import { appPasswordsAggregate } from '../src/named-secrets/app-passwords.js';
import { secretIdOf } from '../src/named-secrets/named-secrets.js';
import { keyIdOf, sshKeyRingAggregate } from '../src/ssh-key-ring/ssh-key-ring.decider.js';
import { sshKeyUseAggregate } from '../src/ssh-key-use/ssh-key-use.decider.js';
import type { UpdateAccount } from '../src/account/account.commands.js';
import { NameRules } from '../src/account/name-rules.js';
import {
  changeOwnProfile,
  deleteAccount,
  disableTwoFactor,
  enableTwoFactor,
  generateRecoveryCodes,
  lockTwoFactor,
  newPassword,
  recoveryCode,
  register,
  startEnrolment,
  update,
} from './account.commands.js';
import { MINUTE } from './account.events.js';
import { createAppPassword, createToken, revokeAllAppPasswords, revokeAllTokens } from './named-secrets.events.js';
import { login } from './session.events.js';
import { publicKey } from './ssh-key-ring.events.js';
import { handle, World } from './world.js';

/** The accounts, sessions and names of every story: only a few, so that clients conflict. */
export const ACCOUNTS = [3, 4, 5] as const;
export const SESSIONS = ['s1', 's2', 's3'] as const;
export const NAMES = ['ann', 'bea', 'cid', 'Ann'] as const;
/** How long a released name is reserved in a story, in milliseconds. */
export const RELEASED_FOR = 20 * MINUTE;
const NAME_RULES = new NameRules(RELEASED_FOR, []);

const account = fc.constantFrom(...ACCOUNTS);
const sessionId = fc.constantFrom(...SESSIONS);
const username = fc.constantFrom(...NAMES);
const withPassword = fc.boolean();
const step = fc.constantFrom(1, 2, 3);
const number = fc.integer({ min: 1, max: 4 });
const verb = <Verb extends string>(name: Verb) => fc.constant(name);

const anyAction = fc.oneof(
  fc.record({ do: verb('register'), account, username }),
  fc.record({ do: verb('update'), account, username, withPassword, permission: fc.nat(1), disabled: fc.boolean() }),
  fc.record({ do: verb('change-own-profile'), account, username, withPassword }),
  fc.record({ do: verb('start-enrolment'), account }),
  fc.record({ do: verb('start-enrolment'), account }),
  /** `back` is 1 for a code of the secret before the last one. */
  fc.record({ do: verb('enable'), account, back: fc.constantFrom(0, 0, 0, 1), step }),
  fc.record({ do: verb('enable'), account, back: fc.constant(0), step }),
  fc.record({ do: verb('disable-two-factor'), account }),
  fc.record({ do: verb('lock-two-factor'), account }),
  fc.record({ do: verb('delete'), account }),
  fc.record({ do: verb('generate-codes'), account }),
  fc.record({ do: verb('use-recovery-code'), account, index: fc.constantFrom(0, 1) }),
  fc.record({ do: verb('use-recovery-code'), account, index: fc.constantFrom(0, 1) }),
  fc.record({ do: verb('evict'), account, kept: fc.option(sessionId) }),
  fc.record({ do: verb('log-in'), account, sessionId, step }),
  fc.record({ do: verb('log-in'), account, sessionId, step }),
  fc.record({ do: verb('log-out'), sessionId }),
  fc.record({
    do: verb('add-key'),
    account,
    title: fc.constantFrom('laptop', 'phone'),
    key: fc.constantFrom('k1', 'k2'),
  }),
  fc.record({ do: verb('remove-key'), account, n: number }),
  fc.record({
    do: verb('update-key'),
    account,
    n: number,
    title: fc.constantFrom(undefined, 'laptop', 'desk'),
    minutes: fc.constantFrom(undefined, null, 5, 60),
  }),
  fc.record({ do: verb('expire-keys'), account }),
  fc.record({
    do: fc.constantFrom('create-token', 'create-app-password'),
    account,
    name: fc.constantFrom('backup', 'deploy'),
    expiresIn: fc.constantFrom(null, 5, 30),
  }),
  fc.record({ do: fc.constantFrom('revoke-token', 'revoke-app-password'), account, n: number }),
  fc.record({ do: fc.constantFrom('revoke-every-token', 'revoke-every-app-password'), account }),
  fc.record({ do: verb('use-key'), account, n: number, minutesAgo: fc.constantFrom(0, 0, 3, 20) }),
);
type Action = typeof anyAction extends fc.Arbitrary<infer A> ? A : never;

/** The actions of several clients, and the order in which the clients act, with the time between two actions. */
export type Story = Readonly<{
  clients: readonly (readonly Action[])[];
  steps: readonly Readonly<{ client: number; minutes: number }>[];
}>;

export const story: fc.Arbitrary<Story> = fc.record({
  clients: fc.array(fc.array(anyAction, { minLength: 4, maxLength: 20, size: 'max' }), { minLength: 2, maxLength: 4 }),
  steps: fc.array(fc.record({ client: fc.nat(3), minutes: fc.constantFrom(0, 0, 0, 1, 5, 11) }), {
    maxLength: 150,
    size: 'max',
  }),
});

/** Plays a story to its end, in a world that starts with two of the accounts. */
export function play({ clients, steps }: Story): World {
  const world = new World();
  finish(
    perform(world, [
      { do: 'register', account: 3, username: 'ann' },
      { do: 'register', account: 4, username: 'bea' },
    ]),
  );
  const performances = clients.map((actions) => perform(world, actions));
  for (const { client, minutes } of steps) {
    world.now += minutes * MINUTE;
    performances[client % performances.length]!.next();
  }
  performances.forEach(finish);
  // Otherwise hardly any story would last until a key expires.
  world.now += 60 * MINUTE;
  finish(
    perform(
      world,
      ([3, 4] as const).map((id) => ({ do: 'expire-keys', account: id })),
    ),
  );
  return world;
}

function* perform(world: World, actions: readonly Action[]): Generator<void, void> {
  for (const action of actions) yield* act(world, action);
}

function finish(performance: Generator<void, void>) {
  while (!performance.next().done);
}

function* act(world: World, action: Action): Generator<void, void> {
  switch (action.do) {
    case 'log-in':
      return yield* logIn(world, action.account, action.sessionId, action.step);
    case 'log-out':
      return yield* handle(world, sessionAggregate, action.sessionId, () => ({ type: 'EndSession', reason: 'logout' }));
    case 'add-key': {
      const { account: accountId, title, key } = action;
      const added = { type: 'AddSshKey', accountId, title, key: publicKey(key), now: world.now } as const;
      return yield* handle(world, sshKeyRingAggregate, accountId, () => added);
    }
    case 'remove-key': {
      const keyId = keyIdOf(action.account, action.n);
      return yield* handle(world, sshKeyRingAggregate, action.account, () => ({ type: 'RemoveSshKey', keyId }));
    }
    case 'update-key': {
      const { account: accountId, n, title, minutes } = action;
      const expiresAt = typeof minutes === 'number' ? world.now + minutes * 60_000 : minutes;
      const updated = { type: 'UpdateSshKey', keyId: keyIdOf(accountId, n), title, expiresAt, now: world.now } as const;
      return yield* handle(world, sshKeyRingAggregate, accountId, () => updated);
    }
    case 'expire-keys': {
      const expired = { type: 'ExpireSshKeys', now: world.now } as const;
      return yield* handle(world, sshKeyRingAggregate, action.account, () => expired);
    }
    case 'use-key': {
      const usedAt = world.now - action.minutesAgo * MINUTE;
      const used = { type: 'RecordSshKeyUse', keyId: keyIdOf(action.account, action.n), usedAt } as const;
      return yield* handle(world, sshKeyUseAggregate, action.account, () => used);
    }
    case 'create-token':
    case 'create-app-password': {
      const { account: accountId, name, expiresIn } = action;
      const expiresAt = expiresIn === null ? null : world.now + expiresIn * MINUTE;
      const fields = { accountId, expiresAt, now: world.now };
      return yield* action.do === 'create-token'
        ? handle(world, accessTokensAggregate, accountId, () => createToken(name, fields))
        : handle(world, appPasswordsAggregate, accountId, () => createAppPassword(name, fields));
    }
    case 'revoke-token': {
      const revoked = { id: secretIdOf(action.account, action.n), now: world.now };
      return yield* handle(world, accessTokensAggregate, action.account, () => ({
        type: 'RevokeAccessToken',
        ...revoked,
      }));
    }
    case 'revoke-app-password': {
      const revoked = { id: secretIdOf(action.account, action.n), now: world.now };
      return yield* handle(world, appPasswordsAggregate, action.account, () => ({
        type: 'RevokeAppPassword',
        ...revoked,
      }));
    }
    case 'revoke-every-token':
      return yield* handle(world, accessTokensAggregate, action.account, () => ({
        ...revokeAllTokens,
        now: world.now,
      }));
    case 'revoke-every-app-password':
      return yield* handle(world, appPasswordsAggregate, action.account, () => ({
        ...revokeAllAppPasswords,
        now: world.now,
      }));
    default:
      return yield* changeAccount(world, action);
  }
}

type OtherAction =
  'log-in' | 'log-out' | `${string}-key` | `${string}-keys` | `${string}-token` | `${string}-app-password`;
type AccountAction = Exclude<Action, { do: OtherAction }>;

function* changeAccount(world: World, action: AccountAction): Generator<void, void> {
  const name = 'username' in action ? world.claim(action.username) : undefined;
  const password = newPassword('another', Math.floor(world.now / 1000));
  if (name) yield;
  return yield* handle(world, accountAggregate, action.account, (state) => {
    switch (action.do) {
      case 'register':
        return register(action.username, { accountId: action.account, name });
      case 'update': {
        const { permission, disabled } = action;
        const differing: Partial<UpdateAccount> = { name, permission, disabled };
        return update(action.username, action.withPassword ? { ...differing, password } : differing);
      }
      case 'change-own-profile': {
        const differing = { name, nameRules: NAME_RULES, now: world.now };
        return changeOwnProfile(action.username, action.withPassword ? { ...differing, password } : differing);
      }
      case 'start-enrolment':
        return startEnrolment(state.enrolments + 1, world.now);
      case 'enable':
        return enableTwoFactor(state.enrolments - action.back, action.step, world.now);
      case 'disable-two-factor':
        return disableTwoFactor;
      case 'lock-two-factor':
        return lockTwoFactor;
      case 'generate-codes':
        return generateRecoveryCodes();
      case 'use-recovery-code':
        return recoveryCode(state.recoverySeries, action.index);
      case 'evict':
        return { type: 'EvictSessions', kept: action.kept };
      case 'delete':
        return deleteAccount;
    }
  });
}

/** Logs in with the right password and, if required, a right code. The account may change between its two steps. */
function* logIn(world: World, accountId: number, id: string, codeStep: number): Generator<void, void> {
  const { state } = world.load(accountAggregate, accountId);
  yield;
  if (state.status !== 'active' || state.disabled || state.twoFactor?.locked) return;
  const session = login({ sessionId: id, accountId, generation: state.generation });
  const usedCode = state.twoFactor && { enrolment: state.twoFactor.enrolment, step: codeStep };
  yield* handle(world, sessionAggregate, id, () =>
    usedCode ? { type: 'StartSession', session, usedCode } : { type: 'StartSession', session },
  );
}
