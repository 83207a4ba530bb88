import type { DynamicModule } from '@nestjs/common';
import {
  collectWhenIdle,
  createThreadLog,
  Health,
  keepNextTickQuick,
  Metrics,
  openTracing,
  tracingModules,
  type Tracing,
} from '@keyfold/process';
import { loadJoinedStoreModule, loadMongoStoreModule, SecretsModule, type StartupContext } from '@keyfold/wiring';
import { parentPort, workerData } from 'node:worker_threads';
import { GatewayModule, ID_BLOCK } from '../gateway.module.js';
import { drainConnections } from '../http/connections.js';
import { createApi, type Api } from '../http/create-api.js';
import { ownerServices } from './process-services.js';
import { linkThreads, type OwnerCalls, type ThreadCalls, type ThreadData } from './thread-calls.js';

/** Serves the API in a thread beside the owner of the process. It has its own app and cache, and a connection of its own to the store. */
const { settings, store } = workerData as ThreadData;
const metrics = new Metrics();
const stopping = new AbortController();
let tracing: Tracing | undefined;
const logFields = () => tracing?.logFields() ?? {};
const owner = linkThreads<OwnerCalls, ThreadCalls>(
  {
    listen: async (port) => void (await (await api).listen(port, 'further')),
    samples: () => metrics.samples(),
    close,
  },
  parentPort!,
);
const log = createThreadLog(settings.KEYFOLD_LOG_LEVEL, (line) => void owner.log.asEvent(line), logFields);
const api = start();
// `listen` reports it to the owner.
api.catch(() => undefined);

async function start(): Promise<Api> {
  keepNextTickQuick();
  collectWhenIdle();
  tracing = await openTracing(settings, log);
  const ports = [...tracingModules(tracing, 'uri' in store ? 'mongodb' : 'sqlite'), ...(await storeModules())];
  const services = ownerServices(owner, logFields);
  const accountIdBlock = 'uri' in store ? ID_BLOCK.shared : ID_BLOCK.embedded;
  const module = GatewayModule.forRoot(ports, settings, accountIdBlock, services);
  return createApi(module, settings, { log, metrics, tracing });
}

async function storeModules(): Promise<DynamicModule[]> {
  if (!('uri' in store)) return [await loadJoinedStoreModule(store)];
  const context: StartupContext = { health: new Health(), log, stopping: stopping.signal };
  return [await loadMongoStoreModule(store.uri, context), SecretsModule.forRoot(store.secrets)];
}

async function close(drains: boolean): Promise<void> {
  stopping.abort();
  try {
    const app = await api.then((started) => started.app).catch(() => undefined);
    if (app && drains) await drainConnections(app.getHttpAdapter().getInstance());
    await app?.close();
    await tracing?.end();
  } finally {
    // After the answer to this call.
    setImmediate(() => process.exit());
  }
}
