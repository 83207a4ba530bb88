import { traceparentOf } from '@keyfold/event-store';
import type { RequestTrace, RequestTraces } from '@keyfold/process';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** What is told of the request; not there where nobody traces. */
    trace?: RequestTrace;
  }
}

/** Tells of every request; to be called before all other hooks. */
export function followRequests(server: Pick<FastifyInstance, 'addHook'>, traces: RequestTraces): void {
  server.addHook('onRequest', (request, { raw }, done) => {
    const { method, protocol, headers } = request;
    const trace = traces.begin({ method, scheme: protocol, traceparent: traceparentOf(headers['traceparent']) });
    request.trace = trace;
    // It closes once, whether the answer was sent or the client is gone.
    raw.once('close', () => {
      trace.end({ route: request.routeOptions.url, status: raw.writableFinished ? raw.statusCode : undefined });
    });
    done();
  });
  // Not before the body is there: it arrives on behalf of the connection, and what follows it would no longer belong to the request.
  server.addHook('preHandler', (request, _reply, done) => {
    if (request.trace) request.trace.run(done);
    else done();
  });
}
