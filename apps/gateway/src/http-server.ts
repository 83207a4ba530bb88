import { Logger } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  defaultPrivacyPatterns,
  EnvelopeFilter,
  errorEnvelope,
  oneInATurn,
  PrivacyMask,
  successEnvelope,
  UNKNOWN_PATH,
  whenThereIsTime,
} from '@keyfold/http-envelope';
import { RepeatedLine } from '@keyfold/process';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { BatchedResponse } from './batched-response.js';
import { answerBrokenRequest, refuseExpectation } from './broken-requests.js';
import { endConnectionsOnClose } from './connections-on-close.js';
import { faultOf } from './fault-of.js';
import { documentApi } from './openapi/openapi.document.js';
import { handleInTurns } from './request-turns.js';
import type { RequestHook } from './request/answer-headers.hook.js';
import { ClientAddress } from './request/client-address.js';
import { correlationsOf } from './request/client-correlation.js';
import { isReadablePath, routedPath } from './request/request-path.js';
import { RouteMethods } from './request/route-methods.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** How long a client may take to send one request (milliseconds), so that slow ones cannot hold connections for ever. */
const REQUEST_TIMEOUT = 60_000;
/** In bytes; the longest body of a client is a key of 16 KiB. */
const BODY_LIMIT = 131_072;
/** In bytes; a larger body can take milliseconds to read. */
const LARGE_BODY = 4_096;

/** Fastify with the project's rules for what comes before a route: ids, broken addresses, broken requests. */
export function createHttpAdapter(setCommonHeaders: RequestHook, maxHeaderSize: number): FastifyAdapter {
  return new FastifyAdapter({
    http: { ServerResponse: BatchedResponse, maxHeaderSize },
    // Never the client's id, or anybody could write another request's into log and commits.
    genReqId: () => randomUUID(),
    requestTimeout: REQUEST_TIMEOUT,
    bodyLimit: BODY_LIMIT,
    // The store closes after the server, so requests on open connections are answered to the end.
    return503OnClosing: false,
    // No Express middleware is used.
    skipMiddie: true,
    rewriteUrl: ({ url }: { url?: string | undefined }) => routedPath(url ?? '/'),
    // Routes read their queries themselves. The router would read every one, which takes it seconds when it is long.
    routerOptions: { ignoreTrailingSlash: true, querystringParser: () => ({}) },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) =>
      setCommonHeaders(request, reply, () => {
        const readable = isReadablePath(request.url);
        const [status, message] = readable ? [404, UNKNOWN_PATH] : [400, 'the address cannot be read'];
        void reply.code(status).type('application/json; charset=utf-8').send(errorEnvelope(status, message));
      }),
    clientErrorHandler: answerBrokenRequest,
  });
}

/** Everything around the routes: how bodies are taken, answers are wrapped, errors are answered, the API is documented. */
export function serveHttp(app: NestFastifyApplication, setCommonHeaders: RequestHook): void {
  const server = app.getHttpAdapter().getInstance();
  const routes = new RouteMethods();
  routes.attach(server);
  const addresses = app.get(ClientAddress, { strict: false });
  server.decorateRequest('clientAddress', {
    getter() {
      return addresses.of(this);
    },
  });
  // Bodies are taken as bytes whatever their type says; the routes read them by the rules of the original.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    // Many clients can hold back the last byte of a body and send it at the same time.
    (body.length > LARGE_BODY ? oneInATurn : whenThereIsTime)(() => done(null, body)),
  );
  server.addHook('onRequest', (request, reply, done) => {
    request.sentContentType = request.headers['content-type'];
    request.raw.headers['content-type'] = 'application/octet-stream';
    setCommonHeaders(request, reply, done);
  });
  server.setReplySerializer(successEnvelope);
  server.server.on('checkExpectation', refuseExpectation);
  handleInTurns(server.server);
  endConnectionsOnClose(server);
  const faults = new Logger('Fault');
  const outages = new RepeatedLine();
  const tellOutage = (message: string, request: FastifyRequest) =>
    outages.write(message, (omitted) =>
      faults.error({ ...correlationsOf(request), ...(omitted > 0 && { omitted }) }, message),
    );
  app.useGlobalFilters(
    new EnvelopeFilter({
      mask: new PrivacyMask(defaultPrivacyPatterns),
      logFault: (errorId, error, path, request) => {
        const { method } = request;
        faults.error({ errorId, ...correlationsOf(request), method, url: path, err: error }, 'a request failed');
      },
      faults: (error, request) => faultOf(error, (message) => tellOutage(message, request)),
      methodsOf: (path) => routes.of(path, METHODS),
    }),
  );
  documentApi(app);
}
