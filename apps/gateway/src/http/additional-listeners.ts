import type { FastifyInstance } from 'fastify';
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
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
