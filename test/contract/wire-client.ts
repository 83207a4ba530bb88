import { Agent, request } from 'node:http';
import type { ReceivedAnswer } from './answer-check.js';

const ANSWER_MS = 30_000;

/** A request to send: header names in lower case, the body as bytes. */
export interface SentRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Buffer | undefined;
  /** The address of the client. */
  from?: string | undefined;
}

/** Returns a URL through which requests reach the server from this address, or from any. */
export type UrlFrom = (address?: string) => Promise<string>;

/**
 * Sends requests over keep-alive connections, without the headers that `fetch` adds or changes. With several servers it
 * alternates between them, like a load balancer, and uses the host name of the first.
 */
export class WireClient {
  private agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly servers: readonly URL[];
  private sent = 0;

  /** Without `urlFrom`, client addresses are sent in a header that the server trusts. */
  constructor(
    urls: readonly string[],
    private readonly urlFrom?: UrlFrom,
  ) {
    this.servers = urls.map((url) => new URL(url));
  }

  /** Returns the host and port of the `Host` header. */
  get host(): string {
    return this.servers[0]?.host ?? '';
  }

  /** Sends one request and reads the complete answer. Throws if the connection breaks or 30 s pass. */
  async send({ method, path, headers = {}, body, from }: SentRequest): Promise<ReceivedAnswer> {
    const { hostname, port } = this.urlFrom ? new URL(await this.urlFrom(from)) : this.next();
    const forwarded = from !== undefined && !this.urlFrom ? { 'x-forwarded-for': from } : {};
    // By default, Node omits Content-Length for DELETE and GET.
    const length = body ? { 'content-length': String(body.length) } : {};
    const named = Object.entries({ host: this.host, ...forwarded, ...headers, ...length });
    const wire = Object.fromEntries(named.map(([name, value]) => [name, onWire(value)]));
    return new Promise((resolve, reject) => {
      const options = {
        hostname,
        port,
        method,
        // A recorded path may contain a blank, which the recorder's client encoded.
        path: onWire(path.replaceAll(' ', '%20')),
        headers: wire,
        agent: this.agent,
        timeout: ANSWER_MS,
      };
      const sent = request(options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} timed out after ${ANSWER_MS} ms`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  private next(): URL {
    const server = this.servers[this.sent++ % this.servers.length];
    if (!server) throw new Error('no server to send to');
    return server;
  }

  /** Closes the connections, as after a restart of the server. */
  close(): void {
    this.agent.destroy();
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }
}

/** Node encodes headers and paths as Latin-1. Returns the characters whose Latin-1 bytes are the UTF-8 of the text. */
function onWire(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
