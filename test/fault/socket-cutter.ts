import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const OPENED = 'net.client.socket';

/** Ends connections of this process to some ports, as a network does that fails. Clients of a replica set need no proxy with it. */
export class SocketCutter {
  readonly #open = new Set<Socket>();

  constructor() {
    subscribe(OPENED, this.#watch);
  }

  /** Resets the open connections for which `chosen` says so; answers how many there were. */
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

/** What a socket says that its peer has reset. */
const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
