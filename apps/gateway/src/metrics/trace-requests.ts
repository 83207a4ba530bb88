import type { RequestTrace, RequestTraces } from '@keyfold/process';
import { traceparentOf } from '@keyfold/event-store';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace of the request; absent if the process does not trace. */
    trace?: RequestTrace;
  }
}

/** Traces every request. Must be called before other hooks are added. */
export function traceRequests(server: Pick<FastifyInstance, 'addHook'>, traces: RequestTraces): void {
  server.addHook('onRequest', (request, { raw }, done) => {
    const { method, protocol, headers } = request;
    const trace = traces.begin({ method, scheme: protocol, traceparent: traceparentOf(headers['traceparent']) });
    request.trace = trace;
    // Closes exactly once, whether the response was sent or the client disconnected.
    raw.once('close', () => {
      trace.end({ route: request.routeOptions.url, status: raw.writableFinished ? raw.statusCode : undefined });
    });
    done();
  });
  // Continues only once the body has arrived: its events run in the context of the connection, and what follows them would lose the trace.
  server.addHook('preHandler', (request, _reply, done) => {
    if (request.trace) request.trace.run(done);
    else done();
  });
}
