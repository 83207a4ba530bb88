import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that clients have to disconnect before the server closes. */
const DRAIN_TIME = 1_000;
/** Milliseconds after which a closing server closes an idle connection. */
const KEEP_ALIVE_ON_CLOSE = 500;

/**
 * Asks clients to disconnect: for a second, requests are still answered, but each response is the last on its connection. This way no request
 * is in flight on a connection when the server closes it. New connections are still accepted.
 */
export async function drainConnections({ server }: FastifyInstance): Promise<void> {
  // Added only now, because the listener costs time on every request. Fastify sets the same header once it closes.
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  await sleep(DRAIN_TIME);
}

/**
 * Makes the server close within `timeout` milliseconds while it still answers requests in flight. Without it, a request that never ends would keep the
 * process running, and so would the keep-alive time of a connection that becomes idle after the close has begun.
 */
export function closeConnectionsOnShutdown(fastify: FastifyInstance, timeout: number): void {
  const { server } = fastify;
  fastify.addHook('preClose', (done) => {
    shortenKeepAlive(server);
    const timer = setTimeout(() => server.closeAllConnections(), timeout);
    server.once('close', () => clearTimeout(timer));
    done();
  });
}

/** A client may send another request right after a response; it would be lost if the connection closed at once. */
function shortenKeepAlive(server: Server): void {
  server.keepAliveTimeout = KEEP_ALIVE_ON_CLOSE;
  // By default Node adds a second.
  server.keepAliveTimeoutBuffer = 0;
}
