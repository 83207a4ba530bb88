import type { FastifyInstance } from 'fastify';

/** How often connections are looked at while the server closes, and when it waits no longer for requests that do not end (milliseconds). */
const LOOK_INTERVAL = 50;
const LONGEST_WAIT = 5_000;

/**
 * Lets running requests have their answers when the server closes, and nothing more: a connection that becomes idle after the close
 * began would hold the process for its whole keep-alive time, and a request that is never sent to its end for ever.
 */
export function endConnectionsOnClose(fastify: FastifyInstance): void {
  const { server } = fastify;
  fastify.addHook('preClose', (done) => {
    const look = setInterval(() => server.closeIdleConnections(), LOOK_INTERVAL);
    const end = setTimeout(() => server.closeAllConnections(), LONGEST_WAIT);
    server.once('close', () => {
      clearInterval(look);
      clearTimeout(end);
    });
    done();
  });
}
