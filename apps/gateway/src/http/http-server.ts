/**
 * The HTTP server of the gateway. A request passes these files in turn: `bounded-request` counts the pieces in which it arrives, and
 * `limit-pipelining` starts few requests of one connection in each iteration of the event loop. `forwarding` takes those of another server. Fastify finds the route by the rules of `routing`,
 * `response-headers.hook` sets the headers of every answer, and the body arrives as bytes that the route reads. `loop-budget` spreads work of several milliseconds, such as a large body or a long list, over several iterations.
 * `batched-response` writes all answers that end in one iteration together. `client-errors` answers what never reaches Fastify, and `connections` opens
 * and closes connections. Nothing here knows a route.
 */
import { Logger } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  errorEnvelope,
  successEnvelope,
  UNKNOWN_PATH,
  type EnvelopeFilter,
  type FailedRequest,
  type MessageMask,
} from '@keyfold/http-envelope';
import { limitConnections, RepeatedLine } from '@keyfold/process';
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { ServerOptions } from 'node:http';
import { correlationsOf, type RequestHook } from '../request/request-reading.js';
import { BatchedResponse } from './batched-response.js';
import { BoundedRequest } from './bounded-request.js';
import { answerClientError, refuseExpectation } from './client-errors.js';
import { closeConnectionsOnShutdown } from './connections.js';
import type { ForwardingServer } from './forwarding.js';
import { faultOf } from './fault-of.js';
import { limitPipelining, type Dispatch } from './limit-pipelining.js';
import { headFault, isReadablePath, routedPath, RouteMethods } from './routing.js';
import { deferOnePerIteration, runOrDefer } from './loop-budget.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** In bytes. Parsing a larger body can take milliseconds. */
const LARGE_BODY = 4_096;

/** The limits of a server, and how it reads paths. Times are in milliseconds, sizes in bytes. */
export type HttpLimits = Pick<
  FastifyServerOptions,
  'bodyLimit' | 'handlerTimeout' | 'keepAliveTimeout' | 'requestTimeout'
> &
  Readonly<{ http: ServerOptions; routedPath: (url: string) => string; ignoreTrailingSlash: boolean }>;

export const apiLimits = (maxHeaderSize: number): HttpLimits => ({
  http: { maxHeaderSize },
  // Slow clients cannot occupy connections.
  requestTimeout: 60_000,
  // The largest body in practice is an SSH key of 16 KiB.
  bodyLimit: 131_072,
  routedPath,
  ignoreTrailingSlash: true,
});

/** Creates the Fastify adapter with the rules that apply before routing: ids, limits, malformed paths and requests. */
export function createHttpAdapter(
  setCommonHeaders: RequestHook,
  { http, routedPath: pathOf, ignoreTrailingSlash, ...limits }: HttpLimits,
): FastifyAdapter {
  return new FastifyAdapter({
    ...limits,
    http: { ...http, IncomingMessage: BoundedRequest, ServerResponse: BatchedResponse },
    // Never the client's id, or a client could forge the id of another request in the log and in commits.
    genReqId: () => randomUUID(),
    // The store closes after the server, so requests on open connections can still be handled.
    return503OnClosing: false,
    // The service uses no Express middleware.
    skipMiddie: true,
    rewriteUrl: ({ url }: { url?: string | undefined }) => pathOf(url ?? '/'),
    // Routes parse their queries themselves. The router would parse every query, which takes seconds for a long one.
    routerOptions: { ignoreTrailingSlash, querystringParser: () => ({}) },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) =>
      setCommonHeaders(request, reply, () => {
        const [status, message] = isReadablePath(request.url)
          ? [404, UNKNOWN_PATH]
          : [400, 'the address cannot be read'];
        void reply.code(status).type('application/json; charset=utf-8').send(errorEnvelope(status, message));
      }),
    clientErrorHandler: answerClientError,
  });
}

/** The parts of request handling that differ between the applications of a process. */
export type HttpRules = Readonly<{
  /** The first hook of every request. */
  setCommonHeaders: RequestHook;
  clientAddressOf: (request: FastifyRequest) => string;
  Filter: typeof EnvelopeFilter;
  mask: MessageMask;
  /** Maximum number of open connections of the thread. */
  connections: number;
  /** Milliseconds after which a closing server aborts requests that have not ended. */
  closeTimeout: number;
  /** Starts the requests that are not of this service. */
  forward?: (server: ForwardingServer) => Dispatch | undefined;
}>;

/** Configures everything around the routes: request bodies, envelopes, errors and limits. */
export function configureHttp(
  app: NestFastifyApplication,
  { setCommonHeaders, clientAddressOf, Filter, mask, connections, closeTimeout, forward }: HttpRules,
): void {
  const server = app.getHttpAdapter().getInstance();
  const routes = new RouteMethods();
  routes.attach(server);
  server.decorateRequest('clientAddress', {
    getter() {
      return clientAddressOf(this);
    },
  });
  // Bodies arrive as bytes, whatever their content type. The routes parse them by the rules of the original.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    // Many clients could withhold the last byte of a large body and send it at the same time.
    (body.length > LARGE_BODY ? deferOnePerIteration : runOrDefer)(() => done(null, body)),
  );
  server.addHook('onRequest', (request, reply, done) => {
    request.sentContentType = request.headers['content-type'];
    request.raw.headers['content-type'] = 'application/octet-stream';
    setCommonHeaders(request, reply, () => done(headFault(request.raw)));
  });
  server.setReplySerializer(successEnvelope);
  server.server.on('checkExpectation', refuseExpectation);
  const full = new RepeatedLine();
  const connectionLog = new Logger('Connections');
  limitConnections(server.server, connections, () =>
    full.write('full', (omitted) =>
      connectionLog.warn({ connections, omitted }, 'too many connections, ended the oldest'),
    ),
  );
  closeConnectionsOnShutdown(server, closeTimeout);
  const faults = new Logger('Fault');
  const outages = new RepeatedLine();
  const reportOutage = (message: string, request: FailedRequest) =>
    outages.write(message, (omitted) =>
      faults.error({ ...correlationsOf(request), ...(omitted > 0 && { omitted }) }, message),
    );
  const filter = new Filter({
    mask,
    logFault: (errorId, error, path, request) => {
      const { method } = request;
      faults.error({ errorId, ...correlationsOf(request), method, url: path, err: error }, 'request failed');
    },
    faults: (error, request) => faultOf(error, (message) => reportOutage(message, request)),
    methodsOf: (path) => routes.of(path, METHODS),
  });
  app.useGlobalFilters(filter);
  const isRoute = (path: string) => routes.has(path);
  limitPipelining(server.server, forward?.({ server: server.server, filter, isRoute }));
}
