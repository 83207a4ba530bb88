import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that the service received. */
export type ReceivedRequest = Readonly<{ method: string; url: URL; authorization: string; body: string }>;

/** Answers a request. */
export type Behaviour = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

/** Answers with lines of `authorized_keys`. */
export const gives =
  (...lines: readonly string[]): Behaviour =>
  (_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
      .end(lines.map((line) => `${line}\n`).join(''));
  };

/** Answers with a status, a body and headers. */
export const answers =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Accepts requests and never answers. */
export const hangs: Behaviour = () => undefined;

/** An HTTP server in the place of Keyfold, whose behaviour a test chooses. */
export class KeyService {
  readonly received: ReceivedRequest[] = [];
  #behaviour: Behaviour = gives();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** Like `start`, until the current test has finished. */
  static async ofTest(...words: Parameters<typeof KeyService.start>): Promise<KeyService> {
    const service = await KeyService.start(...words);
    onTestFinished(() => service.close());
    return service;
  }

  /** With a certificate and its key, the service speaks HTTPS. */
  static async start(
    behaviour?: Behaviour,
    certificate?: Readonly<{ cert: Buffer; key: Buffer }>,
  ): Promise<KeyService> {
    const server = certificate ? createSecureServer(certificate) : createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const service = new KeyService(
      server,
      `${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    if (behaviour) service.does(behaviour);
    server.on(
      'request',
      (request: IncomingMessage, response: ServerResponse) => void service.#receive(request, response),
    );
    return service;
  }

  does(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  /** Stops to listen. Connections are refused from then on. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', headers } = request;
    const received = {
      method,
      url: new URL(request.url ?? '/', this.url),
      authorization: headers.authorization ?? '',
      body: Buffer.concat(chunks).toString('utf8'),
    };
    this.received.push(received);
    await this.#behaviour(received, response);
  }
}
