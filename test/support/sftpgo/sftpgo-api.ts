import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An open session, as `GET /api/v2/connections` shows it. */
export type Connection = Readonly<{ connection_id: string; username: string; protocol: string }>;

/** The part of SFTPGo's REST API that lists and closes sessions, for administrators with an API key. */
export class SftpgoApi {
  readonly open = new Map<string, Connection>();
  /** The number of requests to list sessions. */
  listed = 0;

  private constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  static async start(key: string): Promise<SftpgoApi> {
    let api: SftpgoApi | undefined = undefined;
    const server = createServer((request, response) => api?.answer(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    api = new SftpgoApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, key);
    return api;
  }

  /** Opens a session with an id like those of SFTPGo. */
  add(protocol: string, username: string): string {
    const connection_id = `${protocol}_${this.open.size + 1}a/b c`;
    this.open.set(connection_id, { connection_id, username, protocol });
    return connection_id;
  }

  private answer({ method, url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (headers['x-sftpgo-api-key'] !== this.key) return void send(401, { error: 'Unauthorized' });
    if (method === 'GET' && url === '/api/v2/connections') {
      this.listed += 1;
      const details = { client_version: 'x', remote_address: '192.0.2.1:4', connection_time: 1, last_activity: 1 };
      return void send(
        200,
        [...this.open.values()].map((each) => ({ ...details, ...each })),
      );
    }
    const id = decodeURIComponent(url.replace('/api/v2/connections/', ''));
    if (method !== 'DELETE' || !this.open.delete(id)) return void send(404, { error: 'Not Found' });
    send(200, { message: 'Connection closed' });
  }
}
