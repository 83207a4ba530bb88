import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { lastingPort } from './lasting-port.js';

/**
 * A network between a client and a server that can fail. Clients of a replica set move on to the hosts that its members name, past the
 * proxy: give them `directConnection=true` (`uri`).
 */
export class TcpProxy {
  private readonly lines = new Set<Line>();
  private server: Server | undefined;
  private frozen = false;
  private deaf = false;

  private constructor(
    readonly port: number,
    private readonly target: number,
  ) {}

  /** Listens on a port of 127.0.0.1 and forwards to the target's port there. */
  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(await lastingPort(), target);
    await proxy.listen();
    return proxy;
  }

  /** An address of the server, such as `amqp://user:password@host:5672/vhost`, as it is through the proxy. */
  through(url: string): string {
    const rerouted = new URL(url);
    rerouted.host = `127.0.0.1:${this.port}`;
    return rerouted.toString();
  }

  /** The address of a database of the mongod behind it. */
  uri(database = ''): string {
    return `mongodb://127.0.0.1:${this.port}/${database}?directConnection=true`;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.lines.size;
  }

  /** Ends all connections with a reset, in both directions. */
  cutAll(): void {
    this.lines.forEach((line) => line.cut());
  }

  /** Whether new connections are refused. Open ones stay. */
  async refuse(on: boolean): Promise<void> {
    if (on === (this.server === undefined)) return;
    if (!on) return this.listen();
    // It stops to listen at once; its end is that of the open connections.
    this.server?.close();
    this.server = undefined;
  }

  /** Whether bytes stand still, in open connections and new ones: nobody hears that anything is wrong. They go on afterwards. */
  freeze(on: boolean): void {
    this.frozen = on;
    this.lines.forEach((line) => line.freeze(on));
  }

  /**
   * Whether what the server answers is lost, so that its work is done and the client never hears. Connections that lost an answer are
   * cut when this ends, because the rest of their bytes would make no sense.
   */
  dropAnswers(on: boolean): void {
    this.deaf = on;
    if (!on) this.lines.forEach((line) => line.lostAnswers && line.cut());
  }

  /** Ends all connections and listens no more. */
  async close(): Promise<void> {
    await this.refuse(true);
    this.cutAll();
  }

  private async listen(): Promise<void> {
    this.server = createServer((client) => this.open(client)).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  private open(client: Socket): void {
    const line = new Line(client, connect(this.target, '127.0.0.1'), () => this.deaf);
    this.lines.add(line);
    line.onEnd(() => this.lines.delete(line));
    line.freeze(this.frozen);
  }
}

/** A client's connection and the one to the server that belongs to it. */
class Line {
  /** An answer of the server was thrown away. */
  lostAnswers = false;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    isDeaf: () => boolean,
  ) {
    client.setNoDelay(true).on('data', (bytes) => server.write(bytes));
    server.setNoDelay(true).on('data', (bytes) => {
      this.lostAnswers ||= isDeaf();
      if (!this.lostAnswers) client.write(bytes);
    });
    this.onEnd(() => this.cut());
  }

  onEnd(listener: () => void): void {
    // An error is followed by `close`.
    for (const socket of [this.client, this.server]) socket.on('error', () => {}).once('close', listener);
  }

  freeze(on: boolean): void {
    for (const socket of [this.client, this.server]) void (on ? socket.pause() : socket.resume());
  }

  cut(): void {
    this.client.resetAndDestroy();
    this.server.resetAndDestroy();
  }
}
