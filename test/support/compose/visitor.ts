import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { makeNamespace, removeNamespace } from './namespaces.js';
import { searchPath } from '../programs.js';

const RELAY = join(import.meta.dirname, 'relay.mjs');

/** The target of a connection, with an optional source address. */
export type Destination = Readonly<{ host: string; port: number; from?: string | undefined }>;

/** A client in networks of the containers, through which a test opens connections. */
export class Visitor {
  readonly #tunnels = new Map<string, Promise<Server>>();

  private constructor(
    readonly namespace: string,
    private readonly socket: string,
  ) {}

  /** Creates a visitor. `enter` connects its namespace to networks. */
  static async create(name: string, folder: string, enter: (namespace: string) => Promise<unknown>): Promise<Visitor> {
    const namespace = await makeNamespace(name);
    await enter(namespace);
    const socket = join(folder, `${name}.sock`);
    const parameters = [
      '--pdeathsig',
      'KILL',
      'nsenter',
      `--net=/run/netns/${namespace}`,
      process.execPath,
      RELAY,
      socket,
    ];
    const relay = spawn('setpriv', parameters, { env: { PATH: searchPath }, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(relay.stdout, 'data');
    relay.stdout.destroy();
    relay.unref();
    return new Visitor(namespace, socket);
  }

  /** Returns a local port that forwards to the destination for the lifetime of the visitor. */
  async tunnel(destination: Destination): Promise<number> {
    const key = JSON.stringify(destination);
    const tunnel = this.#tunnels.get(key) ?? this.#listen(destination);
    this.#tunnels.set(key, tunnel);
    return ((await tunnel).address() as AddressInfo).port;
  }

  /** Opens a connection. Throws with the error code, such as `ECONNREFUSED`. */
  async connect(destination: Destination): Promise<Socket> {
    const socket = connect({ path: this.socket, allowHalfOpen: true });
    socket.write(`${JSON.stringify(destination)}\n`);
    const lost = once(socket, 'close').then(() => ['closed'] as const);
    const [answer] = (await Promise.race([once(socket, 'data'), lost])) as [Buffer | string];
    socket.pause();
    const [line, ...more] = String(answer).split('\n');
    if (line !== 'connected')
      throw Object.assign(new Error(`${destination.host}:${destination.port}: ${line}`), { code: line });
    // The server may speak first.
    if (more.join('\n') !== '') socket.unshift(Buffer.from(answer).subarray('connected\n'.length));
    return socket;
  }

  async dispose(): Promise<void> {
    for (const tunnel of this.#tunnels.values()) (await tunnel).close();
    await removeNamespace(this.namespace);
  }

  async #listen(destination: Destination): Promise<Server> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (near) => {
      near.on('error', () => near.destroy());
      this.connect(destination).then(
        (far) => {
          far.on('error', () => near.destroy());
          far.on('close', () => near.destroy());
          near.on('close', () => far.destroy());
          near.pipe(far);
          far.pipe(near);
        },
        () => near.destroy(),
      );
    });
    server.unref();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }
}
