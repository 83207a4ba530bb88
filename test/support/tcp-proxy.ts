import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { lastingPort } from './lasting-port.js';

/**
 * Simulates network failures between a client and a server. Clients of a replica set connect to the hosts that its
 * members announce and bypass the proxy; pass them `directConnection=true` (`uri`).
 */
export class TcpProxy {
  private readonly proxied = new Set<ProxiedConnection>();
  private server: Server | undefined;
  private frozen = false;
  private droppingResponses = false;

  private constructor(
    readonly port: number,
    private readonly target: number,
  ) {}

  /** Listens on a port of 127.0.0.1 and forwards to the target port. */
  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(await lastingPort(), target);
    await proxy.listen();
    return proxy;
  }

  /** Rewrites the address of a server, such as `amqp://user:password@host:5672/vhost`, to go through the proxy. */
  through(url: string): string {
    const rerouted = new URL(url);
    rerouted.host = `127.0.0.1:${this.port}`;
    return rerouted.toString();
  }

  /** Returns the address of a database of the mongod behind the proxy. */
  uri(database = ''): string {
    return `mongodb://127.0.0.1:${this.port}/${database}?directConnection=true`;
  }

  /** Returns the number of open connections. */
  get connections(): number {
    return this.proxied.size;
  }

  /** Resets all connections in both directions. */
  resetConnections(): void {
    this.proxied.forEach((connection) => connection.reset());
  }

  /** Refuses new connections, or accepts them again. Open ones stay. */
  async setRefusing(on: boolean): Promise<void> {
    if (on === (this.server === undefined)) return;
    if (!on) return this.listen();
    // close() stops listening at once, but calls back only when the last connection has ended.
    this.server?.close();
    this.server = undefined;
  }

  /** Holds back all bytes on open and new connections without an error, or lets them flow again. */
  freeze(on: boolean): void {
    this.frozen = on;
    this.proxied.forEach((connection) => connection.freeze(on));
  }

  /**
   * Drops the server's responses or forwards them again. Meanwhile the server does the work, and the client never learns
   * of it. Turning it off resets the connections that lost a response, because the rest of their bytes would make no
   * sense.
   */
  setDroppingResponses(on: boolean): void {
    this.droppingResponses = on;
    if (!on) this.proxied.forEach((connection) => connection.lostResponses && connection.reset());
  }

  /** Resets all connections and stops listening. */
  async close(): Promise<void> {
    await this.setRefusing(true);
    this.resetConnections();
  }

  private async listen(): Promise<void> {
    this.server = createServer((client) => this.open(client)).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  private open(client: Socket): void {
    const connection = new ProxiedConnection(client, connect(this.target, '127.0.0.1'), () => this.droppingResponses);
    this.proxied.add(connection);
    connection.onEnd(() => this.proxied.delete(connection));
    connection.freeze(this.frozen);
  }
}

/** A client's connection and the matching one to the server. */
class ProxiedConnection {
  /** Whether a response of the server was dropped. */
  lostResponses = false;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    dropsResponses: () => boolean,
  ) {
    client.setNoDelay(true).on('data', (bytes) => server.write(bytes));
    server.setNoDelay(true).on('data', (bytes) => {
      this.lostResponses ||= dropsResponses();
      if (!this.lostResponses) client.write(bytes);
    });
    this.onEnd(() => this.reset());
  }

  onEnd(listener: () => void): void {
    // `close` follows an error.
    for (const socket of [this.client, this.server]) socket.on('error', () => {}).once('close', listener);
  }

  freeze(on: boolean): void {
    for (const socket of [this.client, this.server]) void (on ? socket.pause() : socket.resume());
  }

  reset(): void {
    this.client.resetAndDestroy();
    this.server.resetAndDestroy();
  }
}
