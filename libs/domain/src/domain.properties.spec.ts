import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameHashOf } from '../testing/account.events.js';
import { fold } from '../testing/fold.js';
import { ACCOUNTS, NAMES, play, RELEASED_FOR, SESSIONS, story } from '../testing/story.js';
import type { World, WorldCommit } from '../testing/world.js';
import { accessTokensAggregate } from './named-secrets/access-tokens.js';
import { appPasswordsAggregate } from './named-secrets/app-passwords.js';
import {
  accountOfSecret,
  isSecretExpired,
  type NamedSecret,
  type NamedSecrets,
} from './named-secrets/named-secrets.js';
import { accountAggregate } from './account/account.decider.js';
import { sessionAggregate } from './session/session.decider.js';
import { accountOfKey, sshKeyRingAggregate } from './ssh-key-ring/ssh-key-ring.decider.js';
import { USE_INTERVAL, sshKeyUseAggregate } from './ssh-key-use/ssh-key-use.decider.js';
import type { Account } from './account/account.state.js';
import type { Aggregate } from './kernel/aggregate.js';
import type { DomainEvent } from './kernel/event.js';

const seed = Date.now();
const worlds = new Map<string, World>();

/** Checks a property after random stories: several clients change a few accounts in any order. All properties see the same stories. */
const always = (holds: (world: World) => void) =>
  fc.assert(
    fc.property(story, (each) => {
      const key = JSON.stringify(each);
      const world = worlds.get(key) ?? play(each);
      worlds.set(key, world);
      holds(world);
    }),
    { numRuns: 100, seed },
  );

/** Returns the states of a stream after each of its commits. They are frozen, so that no later fold can change them. */
function states<Id, State, Command, Event extends DomainEvent>(
  world: World,
  aggregate: Aggregate<Id, State, Command, Event>,
  id: Id,
): State[] {
  const found = [frozen(aggregate.decider.initialState)];
  for (const { events } of commitsOf(world, aggregate.streamOf(id)))
    found.push(frozen(fold(aggregate, events, found.at(-1))));
  return found;
}

const commitsOf = (world: World, stream: string) => world.log.filter((commit) => commit.stream === stream);
const eventsOf = (world: World, stream: string) => commitsOf(world, stream).flatMap((commit) => commit.events);
const expectUnique = (values: readonly unknown[]) => expect(values).toStrictEqual([...new Set(values)]);

describe('names', () => {
  it('belong to one active account at a time', () => {
    always((world) => {
      const accounts = new Map<string, Account>();
      for (const { stream, events } of world.log.filter((commit) => commit.stream.startsWith('account-'))) {
        accounts.set(stream, fold(accountAggregate, events, accounts.get(stream)));
        const active = [...accounts.values()].filter((account) => account.status === 'active');
        expectUnique(active.map((account) => account.username));
      }
    });
  });

  it('have a last hold that shows whether an account has them', () => {
    always((world) => {
      const accounts = ACCOUNTS.map((id) => world.load(accountAggregate, id).state);
      for (const name of NAMES) {
        const owner = accounts.find((account) => account.status === 'active' && account.username === name);
        const hold = world.lastHold(nameHashOf(name));
        const inUse = hold && !hold.released ? hold.turn : undefined;
        expect(inUse).toBe(owner?.turn);
      }
    });
  });
});

describe('a released name', () => {
  it('can only be taken back by its last owner for a time, unless an administrator assigns it', () => {
    always((world) => {
      const releases = new Map<string, WorldCommit>();
      for (const commit of world.log) {
        for (const { type, data } of commit.events) {
          if (type === 'AccountRenamed' && commit.command.type === 'ChangeOwnProfile') {
            const { stream, at } = releases.get(String(data.username)) ?? commit;
            if (stream !== commit.stream) expect(commit.at - at).toBeGreaterThanOrEqual(RELEASED_FOR);
          }
          if (type === 'AccountRenamed') releases.set(String(data.formerUsername), commit);
          if (type === 'AccountDeleted') releases.set(String(data.username), commit);
        }
      }
    });
  });
});

describe('an account', () => {
  it('never returns to an older generation', () => {
    always((world) => {
      for (const id of ACCOUNTS) {
        const generations = states(world, accountAggregate, id)
          .filter((account) => account.status !== 'deleted')
          .map((account) => account.generation);
        expect(generations).toStrictEqual(generations.toSorted((a, b) => a - b));
      }
    });
  });

  it('stays deleted', () => {
    always((world) => {
      for (const id of ACCOUNTS) {
        const statuses = states(world, accountAggregate, id).map((account) => account.status);
        const deletions = statuses.filter((status) => status === 'deleted').length;
        expect(deletions).toBe(statuses.at(-1) === 'deleted' ? 1 : 0);
      }
    });
  });
});

describe('two-factor', () => {
  it('has at most one pending enrolment: the last one started, later than the active one', () => {
    always((world) => {
      for (const account of ACCOUNTS.flatMap((id) => states(world, accountAggregate, id))) {
        const pending = account.pendingEnrolment;
        if (!pending) continue;
        expect(pending.number).toBe(account.enrolments);
        expect(pending.number).toBeGreaterThan(account.twoFactor?.enrolment ?? 0);
      }
    });
  });

  it('is enabled at most once by each enrolment', () => {
    always((world) => {
      for (const id of ACCOUNTS) {
        const enabled = eventsOf(world, accountAggregate.streamOf(id)).filter(
          ({ type }) => type === 'TwoFactorEnabled',
        );
        expectUnique(enabled.map(({ data }) => data.enrolment));
      }
    });
  });

  it('accepts the code of a step once, for an enrolment or a login', () => {
    always((world) => {
      expectUnique(world.log.flatMap(spentCode));
    });
  });
});

describe('recovery codes', () => {
  it('work once each, and never after their series was replaced', () => {
    always((world) => {
      for (const id of ACCOUNTS) {
        let last = 0;
        const used: string[] = [];
        for (const { type, data } of eventsOf(world, accountAggregate.streamOf(id))) {
          if (type === 'RecoveryCodesGenerated') expect(data.series).toBe(++last);
          if (type !== 'RecoveryCodeUsed') continue;
          expect(data.series).toBe(last);
          used.push(`${String(data.series)}:${String(data.index)}`);
        }
        expectUnique(used);
      }
    });
  });
});

/** Returns the code that a commit accepted, read from its command and not from its holds. */
function spentCode({ stream, command }: WorldCommit): string[] {
  if (command.type === 'EnableTwoFactor') return [`${stream}:${command.enrolment}:${command.step}`];
  if (command.type !== 'StartSession' || !command.usedCode) return [];
  const { enrolment, step } = command.usedCode;
  return [`${accountAggregate.streamOf(command.session.accountId)}:${enrolment}:${step}`];
}

describe('a session', () => {
  it('starts once, ends once and stays ended', () => {
    always((world) => {
      for (const id of SESSIONS) {
        const types = eventsOf(world, sessionAggregate.streamOf(id)).map(({ type }) => type);
        expect(types).toStrictEqual(['SessionStarted', 'SessionEnded'].slice(0, types.length));
      }
    });
  });
});

describe('a key ring', () => {
  it('has unique titles and unique keys', () => {
    always((world) => {
      for (const { keys } of ACCOUNTS.flatMap((id) => states(world, sshKeyRingAggregate, id))) {
        expectUnique(keys.map(({ title }) => title));
        expectUnique(keys.map(({ key }) => key.fingerprint));
      }
    });
  });

  it('issues increasing ids that identify the account', () => {
    always((world) => {
      for (const id of ACCOUNTS) {
        const added = eventsOf(world, sshKeyRingAggregate.streamOf(id)).filter(({ type }) => type === 'SshKeyAdded');
        const ids = added.map(({ data }) => Number(data.keyId));
        expectUnique(ids);
        expect(ids).toStrictEqual(ids.toSorted((a, b) => a - b));
        expect(ids.map(accountOfKey)).toStrictEqual(ids.map(() => id));
      }
    });
  });

  it('records uses of a key in order of time, at most one in ten minutes', () => {
    always((world) => {
      for (const id of ACCOUNTS) {
        const last = new Map<unknown, number>();
        for (const { data } of eventsOf(world, sshKeyUseAggregate.streamOf(id))) {
          const usedAt = Number(data.usedAt);
          expect(usedAt - (last.get(data.keyId) ?? -Infinity)).toBeGreaterThanOrEqual(USE_INTERVAL);
          last.set(data.keyId, usedAt);
        }
      }
    });
  });
});

describeSecrets(accessTokensAggregate, 'AccessToken', 'tokenId');
describeSecrets(appPasswordsAggregate, 'AppPassword', 'appPasswordId');

function describeSecrets<State extends NamedSecrets<NamedSecret>, Command, Event extends DomainEvent>(
  aggregate: Aggregate<number, State, Command, Event>,
  type: string,
  idField: string,
) {
  const idsOf = (world: World, id: number, action: 'Created' | 'Revoked') =>
    eventsOf(world, aggregate.streamOf(id))
      .filter((event) => event.type === `${type}${action}`)
      .map(({ data }) => Number(data[idField]));

  describe(`the secrets of ${aggregate.name}`, () => {
    it('have unique names until they expire', () => {
      always((world) => {
        for (const { secrets } of ACCOUNTS.flatMap((id) => states(world, aggregate, id))) {
          const lastCreation = secrets.at(-1)?.createdAt ?? 0;
          expectUnique(secrets.filter((each) => !isSecretExpired(each, lastCreation)).map(({ name }) => name));
        }
      });
    });

    it('have ids that increase and identify the account', () => {
      always((world) => {
        for (const accountId of ACCOUNTS) {
          const ids = idsOf(world, accountId, 'Created');
          expectUnique(ids);
          expect(ids).toStrictEqual(ids.toSorted((a, b) => a - b));
          expect(ids.map(accountOfSecret)).toStrictEqual(ids.map(() => accountId));
        }
      });
    });

    it('never return after their revocation', () => {
      always((world) => {
        for (const accountId of ACCOUNTS) {
          const revoked = idsOf(world, accountId, 'Revoked');
          expectUnique(revoked);
          const { secrets } = world.load(aggregate, accountId).state;
          expect(secrets.filter(({ id }) => revoked.includes(id))).toEqual([]);
        }
      });
    });
  });
}

it('every app password of a story is known, as it is or as a former one', () => {
  always((world) => {
    for (const accountId of ACCOUNTS) {
      const { secrets, former, secretsEver } = world.load(appPasswordsAggregate, accountId).state;
      expectUnique([...secrets, ...former].map(({ id }) => id));
      expect(secrets.length + former.length).toBe(secretsEver);
    }
  });
});

describe('folding', () => {
  const expectSameFolds = <Id, State, Command, Event extends DomainEvent>(
    world: World,
    aggregate: Aggregate<Id, State, Command, Event>,
    id: Id,
  ) => {
    const together = fold(aggregate, eventsOf(world, aggregate.streamOf(id)).map(frozen));
    expect(states(world, aggregate, id).at(-1)).toStrictEqual(together);
    expect(fold(aggregate, eventsOf(world, aggregate.streamOf(id)))).toStrictEqual(together);
  };

  it('gives the same state for all commits together and one by one, and modifies neither states nor events', () => {
    always((world) => {
      for (const id of ACCOUNTS) {
        expectSameFolds(world, accountAggregate, id);
        expectSameFolds(world, sshKeyRingAggregate, id);
        expectSameFolds(world, sshKeyUseAggregate, id);
        expectSameFolds(world, accessTokensAggregate, id);
        expectSameFolds(world, appPasswordsAggregate, id);
      }
      for (const id of SESSIONS) expectSameFolds(world, sessionAggregate, id);
    });
  });
});

/** Freezes a value deeply, so that any change of it throws. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}
