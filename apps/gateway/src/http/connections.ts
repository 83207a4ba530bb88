import type { FastifyInstance } from 'fastify';
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * Listens on additional addresses and passes their connections to the HTTP server. `localhost` usually has two addresses. Fastify would open
 * a second HTTP server for the other one, without the listeners that protect the first.
 */
export class AdditionalListeners {
  readonly #listeners: Server[] = [];

  constructor(private readonly fastify: FastifyInstance) {
    fastify.addHook('onClose', () => this.#close());
  }

  /** Returns the addresses of a host. The server listens on the first; pass the others to `listen`. */
  static async addressesOf(host: string): Promise<[first: string, ...others: string[]]> {
    if (host !== 'localhost') return [host];
    // `dns.lookup` is read here, not at import, so that a preloaded module can replace it.
    const found = (await promisify(dns.lookup)(host, { all: true })) as LookupAddress[];
    const [first = host, ...others] = new Set(found.map(({ address }) => address));
    return [first, ...others];
  }

  /**
   * Listens on the server's port, which other threads may share if `reusePort` is set. Does nothing if this machine lacks the address or
   * another program uses the port there.
   */
  async listen(host: string, reusePort: boolean): Promise<void> {
    const { server } = this.fastify;
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit('connection', socket),
    );
    const { port } = server.address() as AddressInfo;
    try {
      await once(listener.listen({ host, port, reusePort }), 'listening');
      this.#listeners.push(listener);
    } catch {
      // The first address is enough.
    }
  }

  /** Resolves when the last connection has closed. */
  async #close(): Promise<void> {
    const closed = this.#listeners.map((listener) => once(listener.close(), 'close'));
    this.fastify.server.closeIdleConnections();
    await Promise.all(closed);
  }
}

/** Returns whether several threads can listen on one port; the kernel then spreads the connections. Only some systems can. */
export async function canSharePort(): Promise<boolean> {
  try {
    await tryToListen({ host: '127.0.0.1', port: 0, reusePort: true });
    return true;
  } catch {
    return false;
  }
}

/** Rejects if another program listens on the port. A shared port would otherwise be shared with another process of the same user. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port !== 0) await tryToListen({ host, port });
}

async function tryToListen(options: ListenOptions): Promise<void> {
  const server = createServer().listen(options);
  await once(server, 'listening');
  await once(server.close(), 'close');
}

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
function shortenKeepAlive(server: HttpServer): void {
  server.keepAliveTimeout = KEEP_ALIVE_ON_CLOSE;
  // By default Node adds a second.
  server.keepAliveTimeoutBuffer = 0;
}
