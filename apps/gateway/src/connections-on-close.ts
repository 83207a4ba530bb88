import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long clients have to leave before the server takes no more connections (milliseconds). */
const DRAIN_TIME = 1_000;
/** How long a connection of a closing server may be without a request (milliseconds). */
const LONGEST_IDLE = 500;
/** When a closing server waits no longer for requests that do not end (milliseconds). */
const LONGEST_WAIT = 5_000;

/**
 * Asks clients to leave: for a time everything is answered as before, but each answer is the last of its connection, so that no request
 * is on its way on a connection that the server closes. New connections are taken meanwhile.
 */
export async function drainConnections({ server }: FastifyInstance): Promise<void> {
  // Added only now, because it would cost every request something. Fastify does the same once it closes.
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  await sleep(DRAIN_TIME);
}

/**
 * Lets running requests have their answers when the server closes, and nothing more: a request that is never sent to its end would hold
 * the process for ever, and a connection that becomes idle after the close began for its whole keep-alive time.
 */
export function endConnectionsOnClose(fastify: FastifyInstance): void {
  const { server } = fastify;
  fastify.addHook('preClose', (done) => {
    leaveSoon(server);
    const end = setTimeout(() => server.closeAllConnections(), LONGEST_WAIT);
    server.once('close', () => clearTimeout(end));
    done();
  });
}

/** Connections that answer a request now may send another one for a moment, which would be lost if they were closed at once. */
function leaveSoon(server: Server): void {
  server.keepAliveTimeout = LONGEST_IDLE;
  // What Node adds to be on the safe side of clients that reckon with the whole time.
  server.keepAliveTimeoutBuffer = 0;
}
