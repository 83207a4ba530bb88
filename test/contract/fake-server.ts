import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The answer to every request, with status 200. */
type GivenAnswer = Readonly<{ headers?: Record<string, string>; body: string }>;

/** A server that gives the same answer to every request. */
export class FakeServer {
  /** The paths of all requests. */
  readonly received: string[] = [];

  private constructor(
    private readonly server: Server,
    public answer: GivenAnswer,
  ) {}

  static async start(answer: GivenAnswer): Promise<FakeServer> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const fake = new FakeServer(server, answer);
    server.on('request', ({ url = '' }, response) => {
      fake.received.push(url);
      response.writeHead(200, fake.answer.headers).end(fake.answer.body);
    });
    return fake;
  }

  get urls(): readonly string[] {
    return [`http://127.0.0.1:${(this.server.address() as AddressInfo).port}`];
  }

  async restart(): Promise<void> {}

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
