import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer that sends each request to the next of its servers. */
export class AlternatingProxy {
  /** The paths that each server was asked for, in the order of the servers. */
  readonly asked: readonly string[][];

  private constructor(
    private readonly server: Server,
    count: number,
  ) {
    this.asked = Array.from({ length: count }, () => []);
  }

  static async start(targets: readonly string[]): Promise<AlternatingProxy> {
    const server = createServer();
    const proxy = new AlternatingProxy(server, targets.length);
    let turn = 0;
    server.on('request', (incoming, answer) => {
      const index = turn++ % targets.length;
      proxy.asked[index]!.push(incoming.url!);
      const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress };
      const outgoing = request(targets[index]! + incoming.url, { method: incoming.method, headers }, (received) => {
        answer.writeHead(received.statusCode!, received.headers);
        received.pipe(answer);
      });
      outgoing.on('error', () => answer.destroy());
      incoming.pipe(outgoing);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}
