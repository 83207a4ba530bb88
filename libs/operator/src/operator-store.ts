import { Scope, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import {
  AccountIds,
  ActivityHistory,
  ChangeSettingsHandler,
  Clock,
  CommandRunner,
  DeleteAccountHandler,
  DeleteSettingHandler,
  DisableTwoFactorHandler,
  EndAnySessionHandler,
  EvictAnySessionsHandler,
  GetSettingsHandler,
  ListAccountsHandler,
  ListAnySshKeysHandler,
  ListFactorySettingsHandler,
  ListSettingsHandler,
  NewPasswords,
  PasswordPolicy,
  PreviewSettingsHandler,
  RegisterAccountHandler,
  RemoveAnySshKeyHandler,
  requireSealingKey,
  ResetApiTokenHandler,
  RevokeAnySecretHandler,
  SessionEnding,
  SetPasswordHandler,
  SettingList,
  SettingSecrets,
  SystemClock,
  UnlockAccountHandler,
  UpdateAccountFieldsHandler,
  UserNames,
  type PasswordRules,
} from '@keyfold/application';
import { serviceVersion } from '@keyfold/process';
import { ListUpdates, Projection, Projector, StreamLoader } from '@keyfold/projections';
import { Argon2PasswordHasher, LoginThrottle, parseSealingKeys, Sealer } from '@keyfold/security';
import { openMongoStore, openSqliteStore, portProviders, type OpenStore, type StoreAdapters } from '@keyfold/wiring';
import { portsOf, type OperatorPorts } from './command-run.js';

/** A store that was opened for one command. */
export type OperatorStore = Readonly<{ ports: OperatorPorts; close(): Promise<void> }>;

/** `sessionDays`: how long a session is kept after its token expired. `passwordRules`: the policy for new passwords, by default none. */
type CommandOptions = Readonly<{ sessionDays: number; passwordRules?: PasswordRules }>;

/** How to open the embedded store. `sealingKeys`: the keys of the service if they are not in the data folder. */
export type EmbeddedStoreOptions = CommandOptions & Readonly<{ folder: string; sealingKeys?: string | undefined }>;

/**
 * How to open the shared store. `prepare`: create missing collections and indexes, which must exist otherwise. `sealingKeys`: the keys of
 * the gateways, for commands that store secrets.
 */
export type SharedStoreOptions = CommandOptions &
  Readonly<{ prepare: boolean; leaseMilliseconds: number; sealingKeys?: string | undefined }>;

/** Opens the embedded store for this process alone. Throws `FolderInUse`, `UnusableFile`. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<OperatorStore> {
  const store = await openSqliteStore(options.folder);
  const sealingKeys = () => options.sealingKeys ?? store.sealingKeys();
  return operatorStore(store, { ...options, isAlone: true, sealingKeys });
}

/** Connects to MongoDB, which other processes can use at the same time. Throws `InvalidConfiguration`, `UnusableDatabase`, `StoreUnavailable`. */
export async function openSharedStore(uri: string, options: SharedStoreOptions): Promise<OperatorStore> {
  const store = await openMongoStore(uri, options);
  return operatorStore(store, { ...options, isAlone: false, sealingKeys: () => options.sealingKeys ?? '' });
}

type Options = CommandOptions &
  Readonly<{
    isAlone: boolean;
    leaseMilliseconds?: number;
    /** Called only by commands that need the keys. */
    sealingKeys: () => string;
  }>;

/** Creates the container of a process that runs a single command. */
async function operatorStore({ adapters, close }: OpenStore, options: Options): Promise<OperatorStore> {
  const { feed, leases } = adapters;
  const { isAlone, sessionDays, leaseMilliseconds } = options;
  const providers = [...servicesOn(adapters, options), ...handlers];
  const module = { module: OperatorStoreModule, imports: [CqrsModule.forRoot()], providers };
  const container = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  const lease = leaseMilliseconds === undefined ? {} : { leaseMilliseconds };
  const projection = container.get(Projection);
  return {
    ports: portsOf(container, {
      isAlone,
      sessionDays,
      newProjector: (onError) => new Projector(feed, projection, leases, onError, lease),
    }),
    async close() {
      await container.close();
      await close();
    },
  };
}

class OperatorStoreModule {}

const ADAPTERS = Symbol('the adapters of the opened store');

function servicesOn(adapters: StoreAdapters, { sealingKeys, passwordRules }: Options): Provider[] {
  const { store, readModels, history, counter, throttle } = adapters;
  const clock = new SystemClock();
  const loader = new StreamLoader(store, readModels);
  const projection = new Projection(loader, readModels, Date.now);
  const runner = new CommandRunner(store, loader, new ListUpdates(projection, ignoreStaleList), clock);
  const openSealer = async () => {
    const sealer = new Sealer(parseSealingKeys(sealingKeys()));
    await requireSealingKey(loader, sealer);
    return sealer;
  };
  let sealer: Promise<Sealer> | undefined;
  const hasher = new Argon2PasswordHasher({ concurrency: 1, maxWaiting: 1 });
  const policy = new PasswordPolicy(passwordRules);
  return [
    { provide: ADAPTERS, useValue: adapters },
    ...portProviders(ADAPTERS),
    { provide: Clock, useValue: clock },
    { provide: StreamLoader, useValue: loader },
    { provide: Projection, useValue: projection },
    { provide: CommandRunner, useValue: runner },
    { provide: UserNames, useValue: new UserNames(store, loader) },
    { provide: ActivityHistory, useValue: new ActivityHistory(history, store, readModels) },
    { provide: AccountIds, useValue: new AccountIds(counter, ID_BLOCK) },
    { provide: SessionEnding, useValue: new SessionEnding(loader, runner) },
    { provide: LoginThrottle, useValue: new LoginThrottle(throttle, () => clock.now()) },
    // Opened only for the handlers that need it, because most commands work without a sealing key.
    { provide: Sealer, scope: Scope.REQUEST, useFactory: () => (sealer ??= openSealer()) },
    {
      provide: NewPasswords,
      inject: [Sealer],
      useFactory: (opened: Sealer) => new NewPasswords(hasher, opened, clock, policy),
    },
    { provide: SettingSecrets, inject: [Sealer], useFactory: (opened: Sealer) => new SettingSecrets(opened) },
    {
      provide: SettingList,
      inject: [SettingSecrets],
      useFactory: (secrets: SettingSecrets) => new SettingList(secrets, serviceVersion),
    },
  ];
}

/** A command needs one id. */
const ID_BLOCK = 1;

/** The projector of a worker or the next startup updates a stale list. */
const ignoreStaleList = () => undefined;

const handlers: Provider[] = [
  ChangeSettingsHandler,
  DeleteAccountHandler,
  DeleteSettingHandler,
  DisableTwoFactorHandler,
  EndAnySessionHandler,
  EvictAnySessionsHandler,
  GetSettingsHandler,
  ListAccountsHandler,
  ListAnySshKeysHandler,
  ListFactorySettingsHandler,
  ListSettingsHandler,
  PreviewSettingsHandler,
  RegisterAccountHandler,
  RemoveAnySshKeyHandler,
  ResetApiTokenHandler,
  RevokeAnySecretHandler,
  SetPasswordHandler,
  UnlockAccountHandler,
  UpdateAccountFieldsHandler,
];
