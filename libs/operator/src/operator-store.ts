import { Module, Scope, type INestApplicationContext, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ACCOUNT_ID_BLOCK,
  ApplicationModule,
  Clock,
  CommandRunner,
  InMemoryStreamQueue,
  LoginQueues,
  noSecurityLog,
  PasswordPolicy,
  RecentLogins,
  requireSealingKey,
  SecurityLog,
  SERVICE_VERSION,
  SETUP_RULES,
  StreamQueue,
  SystemClock,
  UserNames,
  type PasswordRules,
} from '@keyfold/application';
import { NameRules } from '@keyfold/domain';
import { OpenListApi, type OpenListMirror } from '@keyfold/openlist';
import { eventLogSettings, serviceVersion } from '@keyfold/process';
import { Projection, Projector, StreamLoader } from '@keyfold/projections';
import {
  Argon2PasswordHasher,
  DeviceTokens,
  LoginThrottle,
  parseSealingKeys,
  PasswordHasher,
  Sealer,
  TokenSigner,
} from '@keyfold/security';
import {
  EventSourcingModule,
  mirrorOf,
  openMongoStore,
  openSqliteStore,
  portProviders,
  type OpenStore,
  type StoreAdapters,
} from '@keyfold/wiring';
import { noOpenlist, type OperatorPorts } from './command-run.js';

/** A store that was opened for one command. */
export type OperatorStore = Readonly<{ ports: OperatorPorts; close(): Promise<void> }>;

/**
 * `sessionDays`: how long a session is kept after its token expired. `eventLogDays`: how long RabbitMQ keeps events. `passwordRules`: the
 * policy for new passwords, by default none. `openlist`: the OpenList behind the gateways, if there is one.
 */
type CommandOptions = Readonly<{
  sessionDays: number;
  eventLogDays?: number;
  passwordRules?: PasswordRules;
  openlist?: Readonly<{ url: string; token: string }> | undefined;
}>;

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

const DEFAULT_EVENT_LOG_DAYS = eventLogSettings.KEYFOLD_EVENT_LOG_DAYS.parse(undefined);

type Options = CommandOptions &
  Readonly<{
    isAlone: boolean;
    leaseMilliseconds?: number;
    /** Called only by commands that need the keys. */
    sealingKeys: () => string;
  }>;

/** Returns the ports of a process that runs a single command. Most commands need no container, which takes longer than opening the store. */
export function operatorStore({ adapters, close }: OpenStore, options: Options): OperatorStore {
  const { store, readModels, feed, leases } = adapters;
  const { isAlone, sessionDays, eventLogDays = DEFAULT_EVENT_LOG_DAYS, leaseMilliseconds } = options;
  const clock = new SystemClock();
  const loader = new StreamLoader(store, readModels);
  const projection = new Projection(loader, readModels, () => clock.now());
  const lease = leaseMilliseconds === undefined ? {} : { leaseMilliseconds };
  let sealer: Promise<Sealer> | undefined;
  const openSealer = async () => {
    const opened = new Sealer(parseSealingKeys(options.sealingKeys()));
    await requireSealingKey(loader, opened);
    return opened;
  };
  const sealerOnce = () => (sealer ??= openSealer());
  let container: Promise<INestApplicationContext> | undefined;
  const containerOnce = () => (container ??= createContainer(servicesOn(adapters, sealerOnce, options)));
  let api: OpenListApi | undefined;
  const openMirror = async (): Promise<OpenListMirror> => {
    if (!options.openlist) throw noOpenlist('Set it and KEYFOLD_OPENLIST_TOKEN to the values of the service');
    const [sealerOfStore, services] = await Promise.all([sealerOnce(), containerOnce()]);
    api = await OpenListApi.open(options.openlist);
    return mirrorOf(
      api,
      loader,
      services.get(CommandRunner),
      sealerOfStore,
      services.get(StreamQueue),
      adapters,
      clock,
    );
  };
  let mirror: Promise<OpenListMirror> | undefined;
  return {
    ports: {
      ...adapters,
      isAlone,
      sessionDays,
      eventLogDays,
      clock,
      loader,
      projection,
      names: new UserNames(store, loader),
      sealer: sealerOnce,
      mirror: () => (mirror ??= openMirror()),
      runner: async () => (await containerOnce()).get(CommandRunner),
      commands: { execute: async (command) => (await containerOnce()).get(CommandBus).execute(command) },
      queries: { execute: async (query) => (await containerOnce()).get(QueryBus).execute(query) },
      newProjector: (onError) => new Projector(feed, projection, leases, onError, lease),
    },
    async close() {
      await api?.close();
      await container?.then(
        (opened) => opened.close(),
        () => undefined,
      );
      await close();
    },
  };
}

/** Creates a container with every command and query of the service. */
function createContainer(services: Provider[]): Promise<INestApplicationContext> {
  const imports = [EventSourcingModule.forRoot([], services), ApplicationModule];
  const module = { module: OperatorStoreModule, imports };
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}

@Module({})
class OperatorStoreModule {}

function servicesOn(
  adapters: StoreAdapters,
  openSealer: () => Promise<Sealer>,
  { passwordRules }: Options,
): Provider[] {
  return [
    ...portProviders({ useValue: adapters }),
    // Opened only for the handlers that need it, because most commands work without a sealing key.
    { provide: Sealer, scope: Scope.REQUEST, useFactory: openSealer },
    { provide: PasswordHasher, useValue: new Argon2PasswordHasher({ concurrency: 1, maxWaiting: 1 }) },
    { provide: PasswordPolicy, useValue: new PasswordPolicy(passwordRules) },
    {
      provide: LoginThrottle,
      inject: [Clock],
      useFactory: (clock: Clock) => new LoginThrottle(adapters.throttle, () => clock.now()),
    },
    { provide: SecurityLog, useValue: noSecurityLog },
    { provide: StreamQueue, useClass: InMemoryStreamQueue },
    { provide: SERVICE_VERSION, useValue: serviceVersion },
    // A command needs one id.
    { provide: ACCOUNT_ID_BLOCK, useValue: 1 },
    // No command logs in, sets up or changes the profile of its caller.
    ...[DeviceTokens, LoginQueues, NameRules, RecentLogins, SETUP_RULES, TokenSigner].map((provide) => ({
      provide,
      useValue: undefined,
    })),
  ];
}
