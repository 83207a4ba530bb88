import type { FastifyInstance } from 'fastify';
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { promisify } from 'node:util';

/**
 * Passes the connections of further addresses to the one HTTP server. `localhost` usually has two addresses; left to itself, Fastify opens
 * a second HTTP server for the other one, without the listeners that protect the first.
 */
export class FurtherListeners {
  readonly #listeners: Server[] = [];

  constructor(private readonly fastify: FastifyInstance) {
    fastify.addHook('onClose', () => this.#close());
  }

  /** Returns the addresses of a host; the server listens on the first, the others are for `listen`. */
  static async addressesOf(host: string): Promise<[first: string, ...others: string[]]> {
    if (host !== 'localhost') return [host];
    // Looked up at the call, so that a preloaded module can replace it.
    const found = (await promisify(dns.lookup)(host, { all: true })) as LookupAddress[];
    const [first = host, ...others] = new Set(found.map(({ address }) => address));
    return [first, ...others];
  }

  /** Listens on the port of the server, unless this machine lacks the address or another program has the port there. */
  async listen(address: string): Promise<void> {
    const { server } = this.fastify;
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit('connection', socket),
    );
    const { port } = server.address() as AddressInfo;
    try {
      await once(listener.listen(port, address), 'listening');
      this.#listeners.push(listener);
    } catch {
      // The first address serves.
    }
  }

  /** Resolves when the last connection has ended. */
  async #close(): Promise<void> {
    const closed = this.#listeners.map((listener) => once(listener.close(), 'close'));
    this.fastify.server.closeIdleConnections();
    await Promise.all(closed);
  }
}
