import {
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

/** A store that was opened for one command of an operator. */
export type OperatorStore = Readonly<{ ports: OperatorPorts; close(): Promise<void> }>;

/**
 * `sessionDays`: how long sessions are kept after their token has expired. `sealingKeys`: those of the service, where it does not have
 * them in its data folder. `passwordRules`: what new passwords must be; none when left out.
 */
export type EmbeddedStoreOptions = Readonly<{
  folder: string;
  sessionDays: number;
  sealingKeys?: string | undefined;
  passwordRules?: PasswordRules;
}>;

/**
 * `prepare`: makes the collections and indexes that are missing; else they must be there. `sessionDays`: how long sessions are kept
 * after their token has expired. `sealingKeys`: those of the gateways, for a command that stores a secret. `passwordRules`: what new
 * passwords must be; none when left out.
 */
export type SharedStoreOptions = Readonly<{
  prepare: boolean;
  leaseMilliseconds: number;
  sessionDays: number;
  sealingKeys?: string | undefined;
  passwordRules?: PasswordRules;
}>;

/** The ports of a process that exists for one command. The sealing keys are asked for by a command that needs them. */
export function operatorPorts(
  adapters: StoreAdapters,
  options: Readonly<{
    isAlone: boolean;
    sessionDays: number;
    leaseMilliseconds?: number;
    sealingKeys: () => string;
    passwordRules?: PasswordRules | undefined;
  }>,
): OperatorPorts {
  const { store, feed, compaction, readModels, leases, relayLeases, parkedRelays } = adapters;
  const { isAlone, sessionDays, leaseMilliseconds, sealingKeys } = options;
  const lease = leaseMilliseconds === undefined ? {} : { leaseMilliseconds };
  const clock = new SystemClock();
  const loader = new StreamLoader(store, readModels);
  const projection = new Projection(loader, readModels, Date.now);
  const sealer = async () => {
    const made = new Sealer(parseSealingKeys(sealingKeys()));
    await requireSealingKey(loader, made);
    return made;
  };
  return {
    store,
    feed,
    compaction,
    readModels,
    leases,
    relayLeases,
    parkedRelays,
    projection,
    commands: new CommandRunner(store, loader, new ListUpdates(projection, leftToTheProjector), clock),
    names: new UserNames(store, loader),
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
    now: Date.now,
  };
}

/** A list that is behind: the projector of a worker brings it there, or the next start. */
const leftToTheProjector = () => undefined;
