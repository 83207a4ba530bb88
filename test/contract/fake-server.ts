import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toDataURL } from 'qrcode';
import type { ReplayedServer } from './replayer.js';

/** A request that the fake server received; header values are decoded as UTF-8. */
export interface GotRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** The answer of the fake server. Without `headers` it has no Content-Type. */
export interface GivenAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/**
 * A server without accounts or rules, for tests of the replayer. It lists every created account, accepts every login,
 * returns one fixed secret, and otherwise answers as the test configures.
 */
export class FakeServer implements ReplayedServer {
  readonly got: GotRequest[] = [];
  readonly restarts: (Record<string, string> | undefined)[] = [];
  /** The answer to every path that the fake does not implement. */
  answer: (request: GotRequest) => GivenAnswer = () => ({});
  urls: readonly string[] = [];

  private readonly accounts = [{ id: 1, username: 'admin' }];
  private readonly server = createServer((request, response) => void this.serve(request, response));

  static async start(): Promise<FakeServer> {
    const fake = new FakeServer();
    await new Promise<void>((listening) => fake.server.listen(0, '127.0.0.1', listening));
    fake.urls = [`http://127.0.0.1:${(fake.server.address() as AddressInfo).port}`];
    return fake;
  }

  /** Returns the requests to one path. */
  gotAt(path: string): GotRequest[] {
    return this.got.filter((request) => request.path === path);
  }

  async restart(env?: Record<string, string>): Promise<void> {
    this.restarts.push(env);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const got = { ...headOf(request), body: Buffer.concat(chunks).toString('utf8') };
    this.got.push(got);
    const own = await this.ownData(got);
    const { status = 200, headers = {}, body = '' } = own === undefined ? this.answer(got) : envelope(own);
    response.writeHead(status, headers).end(body);
  }

  private async ownData({ path, body }: GotRequest): Promise<unknown> {
    if (path === '/api/auth/login') return { token: `token-${this.gotAt(path).length}` };
    if (path === '/api/auth/2fa/verify') return null;
    if (path === '/api/auth/2fa/generate') {
      return {
        qr: await toDataURL(`otpauth://totp/OpenList:a%20b?secret=${SECRET}&digits=6`, { width: 400 }),
        secret: SECRET,
      };
    }
    if (path === '/api/admin/user/list') return { content: this.accounts, total: this.accounts.length };
    if (path === '/api/admin/user/update') return null;
    if (path !== '/api/admin/user/create') return undefined;
    this.accounts.push({ id: this.accounts.length + 1, username: (JSON.parse(body) as { username: string }).username });
    return null;
  }
}

function headOf({ method = '', url = '', rawHeaders }: IncomingMessage): Omit<GotRequest, 'body'> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers[rawHeaders[index]?.toLowerCase() ?? ''] = Buffer.from(rawHeaders[index + 1] ?? '', 'latin1').toString(
      'utf8',
    );
  }
  return { method, path: url, headers };
}

function envelope(data: unknown): GivenAnswer {
  return { body: JSON.stringify({ code: 200, message: 'success', data }) };
}
