import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const OPENED = 'net.client.socket';

/**
 * Cuts this process's connections to some ports, like a network failure. Unlike a proxy it works with clients of a
 * replica set.
 */
export class SocketCutter {
  readonly #open = new Set<Socket>();

  constructor() {
    subscribe(OPENED, this.#watch);
  }

  /** Resets the open connections that `chosen` selects and returns their number. */
  cut(ports: readonly number[], chosen: () => boolean): number {
    const cut = [...this.#open].filter((socket) => ports.includes(socket.remotePort ?? 0) && chosen());
    for (const socket of cut) socket.destroy(reset());
    return cut.length;
  }

  close(): void {
    unsubscribe(OPENED, this.#watch);
  }

  readonly #watch = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  };
}

/** The error of a socket whose peer has reset it. */
const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
