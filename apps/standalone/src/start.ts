import type { DynamicModule, INestApplication } from '@nestjs/common';
import {
  GatewayModule,
  ID_BLOCK,
  processServices,
  serveApi,
  threadsOnMongo,
  type ThreadOptions,
} from '@keyfold/gateway';
import { operatorSocketProvider, requireFreeFolder } from '@keyfold/operator';
import {
  MAX_THREADS,
  measureProcess,
  runProcess,
  tracingModules,
  type ProcessContext,
  type Running,
} from '@keyfold/process';
import { loadEmbeddedStoreModule, loadMongoStoreModule, SecretsModule, StoreSharing } from '@keyfold/wiring';
import { measureProjector, openMessages, openMirror, PeriodicWork, ProjectorRunner } from '@keyfold/worker';
import { availableParallelism } from 'node:os';
import { StandaloneModule } from './standalone.module.js';
import { readStandaloneSettings, type StandaloneSettings } from './standalone.settings.js';

/** Starts the API and the worker in one process, on either store. */
export const startStandalone = () => runProcess(readStandaloneSettings, start, requireFreeStore);

/** Throws `AlreadyRunning` if another process owns the embedded store. */
async function requireFreeStore(settings: StandaloneSettings): Promise<void> {
  if (settings.KEYFOLD_STORE === 'sqlite') await requireFreeFolder(settings.KEYFOLD_DATA_DIR);
}

async function start(settings: StandaloneSettings, context: ProcessContext): Promise<Running> {
  measureProcess('standalone', context);
  const embedded = settings.KEYFOLD_STORE === 'sqlite';
  const ports = [...tracingModules(context.tracing, settings.KEYFOLD_STORE), ...(await portsOf(settings, context))];
  // A single process prepares its broker itself, so that no second command is necessary.
  const messages = await openMessages(settings, context.log, { applyTopology: true });
  const mirror = await openMirror(settings);
  const { KEYFOLD_SESSION_DAYS: sessionDays, KEYFOLD_EVENT_LOG_DAYS: eventLogDays } = settings;
  // This process runs operator commands itself, because they cannot open the embedded store while it does.
  const providers = embedded
    ? [operatorSocketProvider(settings.KEYFOLD_DATA_DIR, { sessionDays, eventLogDays }, messages?.relayProblem)]
    : [];
  const module = StandaloneModule.forRoot(
    ports,
    GatewayModule.forRoot(
      ports,
      settings,
      embedded ? ID_BLOCK.embedded : ID_BLOCK.shared,
      processServices(context.health),
    ),
    { leaseMilliseconds: settings.KEYFOLD_LEASE_SECONDS * 1_000, sessionDays },
    providers,
    [messages, mirror].filter((work) => work !== undefined),
  );
  const beforeFirstRequest = async (app: INestApplication) => {
    const runner = app.get(ProjectorRunner, { strict: false });
    context.health.add('projector', () => runner.check());
    // On the embedded store no other process keeps the lists up to date.
    if (embedded) await runner.startCaughtUp(context.stopping);
    else runner.start();
    app.get(PeriodicWork, { strict: false }).start();
    measureProjector(app, context.metrics);
    messages?.measure(app, context.metrics);
    messages?.start(app);
    mirror?.measure(app, context.metrics);
    mirror?.start(app);
  };
  return serveApi(module, settings, context, { threads: (app) => threadsOf(app, settings), beforeFirstRequest });
}

/** On SQLite, all processors serve, because another process cannot use the data folder. */
function threadsOf(app: INestApplication, settings: StandaloneSettings): ThreadOptions {
  if (settings.KEYFOLD_STORE === 'mongodb') return threadsOnMongo(settings);
  const sharing = app.get(StoreSharing, { strict: false });
  const count = settings.KEYFOLD_THREADS ?? Math.min(MAX_THREADS, availableParallelism());
  return { count, openStore: () => sharing.share() };
}

async function portsOf(settings: StandaloneSettings, context: ProcessContext): Promise<DynamicModule[]> {
  if (settings.KEYFOLD_STORE === 'sqlite') return [await loadEmbeddedStoreModule(settings)];
  return [await loadMongoStoreModule(settings.KEYFOLD_MONGODB_URI, context), SecretsModule.forRoot(settings)];
}
