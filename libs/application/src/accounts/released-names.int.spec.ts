import { DomainError, NameRules } from '@keyfold/domain';
import type { EventStore } from '@keyfold/event-store';
import { MongoEventStore } from '@keyfold/event-store/mongo';
import { ListUpdates, Projection, StreamLoader, type ReadModelStore } from '@keyfold/projections';
import { Argon2PasswordHasher, Sealer } from '@keyfold/security';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anotherProcess } from '../../../event-store/testing/open-mongo.js';
import { EmbeddedProjections } from '../../../projections/testing/embedded-projections.js';
import { MongoProjections } from '../../../projections/testing/mongo-projections.js';
import { accountState, changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { DAY, SettableClock } from '../../testing/settable-clock.js';
import { watchedPort, type Listener } from '../../testing/watched-port.js';
import { NewPasswords } from './new-passwords.js';
import { CommandRunner } from '../command-runner.js';
import { UserNames } from '../user-names.js';
import { ChangeOwnProfileCommand, ChangeOwnProfileHandler } from './own-profile.js';

const HASHING = { concurrency: 1, maxWaiting: 200, cost: { memoryCost: 8, timeCost: 1, parallelism: 1 } };
const reserved = new DomainError('username-reserved');
const taken = new DomainError('username-taken');

/** A store as seen by two processes. */
type Shared = Readonly<{ stores: readonly [EventStore, EventStore]; readModels: ReadModelStore }>;

const openings: readonly (readonly [string, () => Promise<Shared>])[] = [
  [
    'SQLite',
    async () => {
      const { store, readModels } = new EmbeddedProjections();
      return { stores: [store, store], readModels };
    },
  ],
  [
    'MongoDB',
    async () => {
      const { connection, store, readModels } = await MongoProjections.open();
      const elsewhere = new MongoEventStore(await anotherProcess(connection));
      onTestFinished(() => elsewhere.close());
      return { stores: [store, elsewhere], readModels };
    },
  ],
];

/** A process that reserves released names for 30 days. */
class Process {
  readonly passwords: NewPasswords;
  readonly loader: StreamLoader;
  readonly runner: CommandRunner;
  readonly names: UserNames;
  readonly #profiles: ChangeOwnProfileHandler;

  constructor(store: EventStore, readModels: ReadModelStore, clock: SettableClock) {
    const sealer = new Sealer([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
    this.passwords = new NewPasswords(new Argon2PasswordHasher(HASHING), sealer, clock);
    this.loader = new StreamLoader(store, readModels);
    const projection = new Projection(this.loader, readModels, () => clock.now());
    const lists = new ListUpdates(projection, (_, error) => {
      throw error;
    });
    this.runner = new CommandRunner(store, this.loader, lists, clock);
    this.names = new UserNames(store, this.loader);
    const rules = new NameRules(30 * DAY, []);
    this.#profiles = new ChangeOwnProfileHandler(this.runner, this.names, this.passwords, rules, clock);
  }

  /** Renames an account at its own request. */
  async rename(accountId: number, username: string): Promise<void> {
    const account = await accountState(this, accountId);
    const profile = { username, password: '', ssoId: '' };
    await this.#profiles.execute(
      new ChangeOwnProfileCommand({ account, by: 'session' }, profile, { correlation: 'test' }),
    );
  }
}

describe.each(openings)('a released name on %s', (_, open) => {
  /** Starts two processes with the accounts 7 "ann", 8 "bea" and 9 "cid". `listener` is called before store calls of the second. */
  async function start(listener: Listener = () => undefined) {
    const clock = new SettableClock();
    const { stores, readModels } = await open();
    const here = new Process(stores[0], readModels, clock);
    const elsewhere = new Process(watchedPort('EventStore', stores[1], listener), readModels, clock);
    for (const [id, name] of [
      [7, 'ann'],
      [8, 'bea'],
      [9, 'cid'],
    ] as const)
      await registerAccount(here, id, name);
    return { clock, here, elsewhere };
  }

  it('is refused to other accounts for 30 days after a rename, by every process', async () => {
    const { clock, here, elsewhere } = await start();
    await here.rename(7, 'anna');
    clock.advance(30 * DAY - 1);
    await expect(here.rename(8, 'ann')).rejects.toEqual(reserved);
    await expect(elsewhere.rename(8, 'ann')).rejects.toEqual(reserved);
    clock.advance(1);
    await elsewhere.rename(8, 'ann');
    expect(await here.names.find('ann')).toBe(8);
  });

  it('is refused for 30 days after its account was deleted', async () => {
    const { clock, here, elsewhere } = await start();
    await changeAccount(here, 7, { type: 'DeleteAccount' });
    await expect(elsewhere.rename(8, 'ann')).rejects.toEqual(reserved);
    clock.advance(30 * DAY);
    await elsewhere.rename(8, 'ann');
    expect(await here.names.find('ann')).toBe(8);
  });

  it('can be taken back at once by the account that released it', async () => {
    const { here, elsewhere } = await start();
    await here.rename(7, 'anna');
    await elsewhere.rename(7, 'ann');
    expect(await here.names.find('ann')).toBe(7);
    await expect(here.rename(8, 'anna')).rejects.toEqual(reserved);
  });

  it('can be assigned at once by an administrator and is then reserved for its new owner', async () => {
    const { here, elsewhere } = await start();
    await here.rename(7, 'anna');
    await updateAccount(elsewhere, 8, { username: 'ann' });
    await here.rename(8, 'bea');
    await expect(here.rename(7, 'ann')).rejects.toEqual(reserved);
    await registerAccount(elsewhere, 10, 'ann');
    expect(await here.names.find('ann')).toBe(10);
  });

  it('goes to one of the accounts that ask concurrently once the time is over', async () => {
    const { clock, here, elsewhere } = await start();
    await here.rename(7, 'anna');
    clock.advance(30 * DAY);
    const outcomes = await Promise.allSettled([
      here.rename(8, 'ann'),
      elsewhere.rename(9, 'ann'),
      elsewhere.rename(7, 'ann'),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => reason as unknown)).toEqual([taken, taken]);
  });

  it('is refused if it was taken and released again during the rename', async () => {
    let rival = async () => {};
    const { clock, here, elsewhere } = await start(async (call) => {
      if (call === 'EventStore.append') await rival();
    });
    await here.rename(7, 'anna');
    clock.advance(30 * DAY);
    rival = async () => {
      await here.rename(9, 'ann');
      await here.rename(9, 'cid');
    };
    await expect(elsewhere.rename(8, 'ann')).rejects.toEqual(taken);
    expect((await accountState(here, 8)).username).toBe('bea');
    rival = async () => {};
    await expect(elsewhere.rename(8, 'ann')).rejects.toEqual(reserved);
  });
});
