import { Catch, HttpException, NotFoundException, type ArgumentsHost } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CallerIdentifier, SecurityLog } from '@keyfold/application';
import { EnvelopeFilter, failureOf, Fault, Refusal } from '@keyfold/http-envelope';
import { boundUrl, UnusableAddress, type ApiSettings, type ProcessContext, type Sample } from '@keyfold/process';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AdditionalListeners } from '../http/connections.js';
import { configureHttp, createHttpAdapter, type HttpLimits } from '../http/http-server.js';
import { RequestCounts } from '../metrics/request-counts.js';
import { serveDocument } from '../openapi/openapi.document.js';
import type { RequestHook } from '../request/request-reading.js';
import { DOCUMENT_TEXTS } from './file-servers.document.js';
import { FileServersModule, type Services } from './file-servers.module.js';
import { ServerTokenGuard } from './server-token.guard.js';

const ADDRESS_SETTINGS = { host: 'KEYFOLD_SERVERS_HOST', port: 'KEYFOLD_SERVERS_PORT' };
/** Maximum number of open connections. */
export const SERVERS_CONNECTIONS = 1_024;
/** Milliseconds that a closing port waits for its requests in flight. */
const CLOSE_TIMEOUT = 3_000;
/** The buckets of durations, in seconds. A warm process answers within two milliseconds. */
const DURATIONS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 2.5];

/** A login waits for the answer, so most routes give up soon. Names and passwords are short, even with escapes. */
export const SERVERS_LIMITS = {
  http: { maxHeaderSize: 24_576, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
  requestTimeout: 10_000,
  keepAliveTimeout: 30_000,
  handlerTimeout: 2_000,
  bodyLimit: 65_536,
  // Each route has one spelling.
  routedPath: (url) => url.replace(/^[^?]*/, (path) => path.replaceAll('%', '%25')),
  ignoreTrailingSlash: false,
} satisfies HttpLimits;

/**
 * The servers port, on which file servers check logins, look up keys and report their use: a second HTTP application of the process, which uses
 * the services of the API. It is separate, so that a site can let only its file servers reach it.
 */
export class FileServerPort {
  private constructor(
    private readonly app: NestFastifyApplication,
    readonly url: string,
  ) {}

  /**
   * Opens the port, and measures it. Returns undefined if the settings name no port. Only the owner of the process has it: one thread answers more
   * look-ups than file servers have logins.
   *
   * @throws UnusableAddress
   */
  static async open(
    api: Services,
    {
      KEYFOLD_SERVERS_HOST: host,
      KEYFOLD_SERVERS_PORT: port,
      KEYFOLD_SERVERS_TRUSTED: trusted,
    }: Pick<ApiSettings, 'KEYFOLD_SERVERS_HOST' | 'KEYFOLD_SERVERS_PORT' | 'KEYFOLD_SERVERS_TRUSTED'>,
    { log, metrics, onTerminal }: Pick<ProcessContext, 'log' | 'metrics' | 'onTerminal'>,
  ): Promise<FileServerPort | undefined> {
    if (port === undefined) return undefined;
    const requests = new RequestCounts(DURATIONS);
    const guard = new ServerTokenGuard(
      api.get(CallerIdentifier, { strict: false }),
      api.get(SecurityLog, { strict: false }),
    );
    const app = await createApp(api, trusted, requests, guard);
    await app.init();
    try {
      const [address] = await AdditionalListeners.addressesOf(host);
      await app.listen(port, address);
    } catch (error) {
      // Report the original error, not one from closing.
      await app.close().catch(() => undefined);
      throw new UnusableAddress(host, port, ADDRESS_SETTINGS, error as Error);
    }
    metrics.add(() => samplesOf(requests));
    const url = boundUrl(app.getHttpServer());
    if (!onTerminal) log.info({ url }, 'servers port');
    return new FileServerPort(app, url);
  }

  /** Closes the port. Requests in flight are answered first. */
  close(): Promise<void> {
    return this.app.close();
  }
}

async function createApp(
  api: Services,
  trusted: readonly string[],
  requests: RequestCounts,
  guard: ServerTokenGuard,
): Promise<NestFastifyApplication> {
  const setCommonHeaders = requests.counting(commonHeaders);
  const app = await NestFactory.create<NestFastifyApplication>(
    FileServersModule.forRoot(api, trusted),
    createHttpAdapter(setCommonHeaders, SERVERS_LIMITS),
    { bodyParser: false, abortOnError: false },
  );
  const fastify = app.getHttpAdapter().getInstance();
  requests.attach(fastify);
  // Privacy patterns are for what people read in browsers. A file server knows the texts that its own request contains.
  const mask = { ofRefusal: (message: string) => message, ofFault: (message: string) => message };
  // The address is that of the peer: this port believes no forwarded header.
  const clientAddressOf = ({ raw }: { raw: { socket: { remoteAddress?: string } } }) => raw.socket.remoteAddress ?? '';
  configureHttp(app, {
    setCommonHeaders,
    clientAddressOf,
    Filter: StatusFilter,
    mask,
    connections: SERVERS_CONNECTIONS,
    closeTimeout: CLOSE_TIMEOUT,
  });
  guardRoutes(fastify, guard);
  serveDocument(app, DOCUMENT_TEXTS, false);
  return app;
}

const commonHeaders: RequestHook = (request, reply, done) => {
  reply.header('x-request-id', request.id).header('cache-control', 'no-store');
  done();
};

/** Gives each route its limits, and refuses unknown callers and paths before the body is received. */
function guardRoutes(fastify: FastifyInstance, guard: ServerTokenGuard): void {
  fastify.addHook('onRoute', (route) => {
    const { scope, limits } = route.config ?? {};
    if (scope === undefined && route.url !== '/openapi.json') throw new Error(`the route ${route.url} names no scope`);
    Object.assign(route, limits);
  });
  fastify.addHook<{ Body: Buffer | undefined }>('preParsing', async (request) => {
    if (request.is404) throw new NotFoundException();
    await guard.check(request);
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    // Nobody reads the rest of the body.
    if (!request.raw.complete) reply.header('connection', 'close');
    done();
  });
}

/** A filter for clients that know statuses, such as `curl -f`: a refusal has its code as its HTTP status, too. */
@Catch()
class StatusFilter extends EnvelopeFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const fault = faultOfServer(error, http.getRequest<FastifyRequest>());
    const reply = http.getResponse<FastifyReply>();
    if (fault?.status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer');
    super.catch(fault ?? error, host);
  }
}

/** Returns the fault that a refusal, or an error of Fastify, stands for on this port. */
function faultOfServer(error: unknown, { routeOptions }: FastifyRequest): Fault | undefined {
  if (error instanceof Error && 'code' in error && error.code === 'FST_ERR_HANDLER_TIMEOUT')
    return new Fault(503, 'the answer took too long', { retryAfterSeconds: 1 });
  if (error instanceof HttpException && error.getStatus() === 413)
    return new Fault(413, `the body is too long: at most ${routeOptions.bodyLimit} bytes`);
  const failure = failureOf(error);
  return failure instanceof Refusal ? new Fault(failure.code, failure.message, failure) : undefined;
}

const samplesOf = ({ routes, durations, inFlight }: RequestCounts): Sample[] => [
  ...routes.flatMap((each) =>
    each.byStatus().map(([status, value]): Sample => {
      return { name: 'keyfold_servers_requests_total', labels: { route: each.route, status }, value };
    }),
  ),
  ...[...durations].map(([route, value]): Sample => {
    return { name: 'keyfold_servers_request_duration_seconds', labels: { route }, value };
  }),
  { name: 'keyfold_servers_requests_in_flight', value: inFlight },
];
