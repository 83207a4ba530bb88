import { sourceOf } from '@keyfold/security';
import type { Server, Socket } from 'node:net';

const PROVE = Symbol('marks this connection as proven');
type Connection = Socket & { [PROVE]?: () => void };

/** Call it when a client has shown who it is. If there are too many connections, unproven ones end first. */
export function markProven(connection: Connection): void {
  connection[PROVE]?.();
}

/**
 * Limits the connections of a server to `max`. A further one ends another, so that idle connections lock nobody out: the oldest unproven one of the
 * peer that has most of these. If all are proven, one of them is chosen in the same way. A peer can have at most half of `max` as proven ones. `onFull` is
 * called each time.
 */
export function limitConnections(server: Server, max: number, onFull: () => void = () => {}): void {
  const unproven = new OpenConnections();
  const proven = new OpenConnections();
  let open = 0;
  server.prependListener('connection', (connection: Connection) => {
    if (open >= max) {
      onFull();
      (unproven.oldestOfLargest() ?? proven.oldestOfLargest())?.destroy();
    }
    open += 1;
    // An IPv6 client may have a whole /64.
    const peer = sourceOf(connection.remoteAddress ?? '');
    let remove = unproven.add(connection, peer);
    connection[PROVE] = () => {
      // A single user could otherwise fill the port for good.
      if (proven.countOf(peer) >= max / 2) return;
      delete connection[PROVE];
      remove();
      if (!connection.destroyed) remove = proven.add(connection, peer);
    };
    connection.once('close', () => {
      open -= 1;
      remove();
    });
  });
}

/** Open connections by peer, oldest first. */
class OpenConnections {
  readonly #byPeer = new Map<string, Set<Connection>>();

  /** Returns a function that removes the connection. */
  add(connection: Connection, peer: string): () => void {
    const ofPeer = this.#byPeer.get(peer) ?? new Set();
    this.#byPeer.set(peer, ofPeer.add(connection));
    return () => {
      if (ofPeer.delete(connection) && ofPeer.size === 0) this.#byPeer.delete(peer);
    };
  }

  countOf(peer: string): number {
    return this.#byPeer.get(peer)?.size ?? 0;
  }

  /** Takes out the oldest connection of the peer that has most. */
  oldestOfLargest(): Connection | undefined {
    let largest: [peer: string, connections: Set<Connection>] = ['', new Set()];
    for (const each of this.#byPeer) if (each[1].size > largest[1].size) largest = each;
    const [peer, connections] = largest;
    const [oldest] = connections;
    if (oldest && connections.delete(oldest) && connections.size === 0) this.#byPeer.delete(peer);
    return oldest;
  }
}
