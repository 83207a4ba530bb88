import {
  ActivityHistory,
  CommandRunner,
  NewPasswords,
  PasswordPolicy,
  requireSealingKey,
  SystemClock,
  UserNames,
  type PasswordRules,
} from '@keyfold/application';
import { ListUpdates, Projection, Projector, StreamLoader } from '@keyfold/projections';
import { Argon2PasswordHasher, parseSealingKeys, Sealer } from '@keyfold/security';
import type { StoreAdapters } from '@keyfold/wiring';
import type { OperatorPorts } from './commands/operator-ports.js';

/** A store that was opened for one command. */
export type OperatorStore = Readonly<{ ports: OperatorPorts; close(): Promise<void> }>;

/**
 * How to open the embedded store. `sessionDays`: how long a session is kept after its token expired. `sealingKeys`: the keys of the
 * service if they are not in the data folder. `passwordRules`: the policy for new passwords, by default none.
 */
export type EmbeddedStoreOptions = Readonly<{
  folder: string;
  sessionDays: number;
  sealingKeys?: string | undefined;
  passwordRules?: PasswordRules;
}>;

/**
 * How to open the shared store. `prepare`: create missing collections and indexes, which must exist otherwise. `sessionDays`: how long a
 * session is kept after its token expired. `sealingKeys`: the keys of the gateways, for commands that store secrets. `passwordRules`: the
 * policy for new passwords, by default none.
 */
export type SharedStoreOptions = Readonly<{
  prepare: boolean;
  leaseMilliseconds: number;
  sessionDays: number;
  sealingKeys?: string | undefined;
  passwordRules?: PasswordRules;
}>;

/** Creates the ports of a process that runs a single command. `sealingKeys` is called only by commands that need the keys. */
export function createOperatorPorts(
  adapters: StoreAdapters,
  options: Readonly<{
    isAlone: boolean;
    sessionDays: number;
    leaseMilliseconds?: number;
    sealingKeys: () => string;
    passwordRules?: PasswordRules | undefined;
  }>,
): OperatorPorts {
  const { store, readModels, feed, history, leases } = adapters;
  const { isAlone, sessionDays, leaseMilliseconds, sealingKeys } = options;
  const lease = leaseMilliseconds === undefined ? {} : { leaseMilliseconds };
  const clock = new SystemClock();
  const loader = new StreamLoader(store, readModels);
  const projection = new Projection(loader, readModels, Date.now);
  const sealer = async () => {
    const opened = new Sealer(parseSealingKeys(sealingKeys()));
    await requireSealingKey(loader, opened);
    return opened;
  };
  return {
    ...adapters,
    loader,
    projection,
    runner: new CommandRunner(store, loader, new ListUpdates(projection, ignoreStaleList), clock),
    names: new UserNames(store, loader),
    activity: new ActivityHistory(history, store, readModels),
    sealer,
    newPasswords: async () =>
      new NewPasswords(
        new Argon2PasswordHasher({ concurrency: 1, maxWaiting: 1 }),
        await sealer(),
        clock,
        new PasswordPolicy(options.passwordRules),
      ),
    newProjector: (onError) => new Projector(feed, projection, leases, onError, lease),
    isAlone,
    sessionDays,
    clock,
  };
}

/** The projector of a worker or the next startup updates a stale list. */
const ignoreStaleList = () => undefined;
