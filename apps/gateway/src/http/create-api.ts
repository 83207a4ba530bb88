import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CurrentPrivacyMask } from '@keyfold/application';
import { EnvelopeFilter } from '@keyfold/http-envelope';
import {
  boundUrl,
  NestLog,
  openlistOf,
  UnusableAddress,
  type ApiSettings,
  type ProcessContext,
} from '@keyfold/process';
import type { AddressInfo } from 'node:net';
import { measureGateway } from '../metrics/measure-gateway.js';
import { RequestCounts } from '../metrics/request-counts.js';
import { traceRequests } from '../metrics/trace-requests.js';
import { documentApi } from '../openapi/openapi.document.js';
import { ClientAddress } from '../request/client-address.js';
import { AdditionalListeners, requireFreePort } from './connections.js';
import { Forwarding } from './forwarding.js';
import { apiLimits, configureHttp, createHttpAdapter } from './http-server.js';
import { responseHeaders } from './response-headers.hook.js';

/** Maximum number of open connections of each thread. Ten thousand idle ones take about 200 MB. */
export const API_CONNECTIONS = 10_000;
/** Milliseconds after which a closing server aborts requests that have not ended. */
const CLOSE_TIMEOUT = 5_000;

/** How a thread uses a port: alone, or as the first or a further one of several threads. */
type PortUse = 'alone' | 'first' | 'further';

export type Api = Readonly<{
  app: NestFastifyApplication;
  /** Starts to serve. Returns the URL and, for port 0, the chosen port. Throws `UnusableAddress`. */
  listen(port: number, use: PortUse): Promise<Readonly<{ url: string; port: number }>>;
}>;

/**
 * Creates the app of a module that includes the gateway. If that fails, closes everything that it opened. The app closes the store only after
 * `beforeStoreCloses`.
 */
export async function createApi(
  module: DynamicModule,
  settings: ApiSettings,
  { log, metrics, tracing }: Pick<ProcessContext, 'log' | 'metrics' | 'tracing'>,
  beforeStoreCloses: () => Promise<void> = async () => {},
): Promise<Api> {
  const requests = new RequestCounts();
  const onRequest = requests.counting(responseHeaders(settings.KEYFOLD_HSTS_SECONDS));
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    createHttpAdapter(onRequest, apiLimits(settings.KEYFOLD_HEAD_BYTES)),
    {
      bodyParser: false,
      logger: new NestLog(log),
      abortOnError: false,
    },
  );
  const fastify = app.getHttpAdapter().getInstance();
  if (tracing) traceRequests(fastify, tracing.requests);
  requests.attach(fastify);
  fastify.addHook('onClose', beforeStoreCloses);
  const addresses = app.get(ClientAddress, { strict: false });
  const forwarding = openlistOf(settings) && app.get(Forwarding, { strict: false });
  fastify.addHook('onClose', async () => forwarding?.close());
  configureHttp(app, {
    setCommonHeaders: onRequest,
    clientAddressOf: (request) => addresses.of(request),
    Filter: EnvelopeFilter,
    mask: app.get(CurrentPrivacyMask, { strict: false }),
    connections: API_CONNECTIONS,
    closeTimeout: CLOSE_TIMEOUT,
    forward: (server) => forwarding?.open(server, { count: requests.forwarded('openlist'), traces: tracing?.requests }),
  });
  documentApi(app);
  const additional = new AdditionalListeners(fastify);
  try {
    await app.init();
  } catch (error) {
    // Report the original error, not one from closing.
    await app.close().catch(() => undefined);
    throw error;
  }
  measureGateway(app, requests, metrics);
  metrics.add(() => forwarding?.samples() ?? []);
  return {
    app,
    listen: (port, use) => listen(app, additional, { host: settings.KEYFOLD_HOST, port }, use),
  };
}

async function listen(
  app: NestFastifyApplication,
  additional: AdditionalListeners,
  { host, port }: Readonly<{ host: string; port: number }>,
  use: PortUse,
): ReturnType<Api['listen']> {
  try {
    const [first, ...others] = await AdditionalListeners.addressesOf(host);
    if (use === 'first') await requireFreePort(first, port);
    const reusePort = use !== 'alone';
    await app.listen({ host: first, port, reusePort } as { host: string; port: number });
    for (const address of others) await additional.listen(address, reusePort);
    const { port: chosen } = app.getHttpServer().address() as AddressInfo;
    return { url: boundUrl(app.getHttpServer()), port: chosen };
  } catch (error) {
    const settings = { host: 'KEYFOLD_HOST', port: 'KEYFOLD_PORT' };
    throw new UnusableAddress(host, port, settings, error as Error);
  }
}
