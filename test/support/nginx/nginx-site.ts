import { once } from 'node:events';
import { mkdtemp, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { accountNamed, adminOf, createAccount, signedInAs } from '../accounts.js';
import { ApiClient } from '../api-client.js';
import { newAppPassword } from '../app-passwords.js';
import { IsolatedServer } from '../isolated-server.js';
import { lastingPort } from '../lasting-port.js';
import { needs } from '../needs.js';
import { loginToken } from '../openssh/server-token.js';
import { newPrivateCa, type PrivateCa } from '../private-ca.js';
import { StandaloneProcess } from '../standalone-process.js';

await needs('nginx');

const DEPLOY = resolve(import.meta.dirname, '../../../deploy/nginx');
const shipped = (name: string) => readFile(join(DEPLOY, name), 'utf8');

/** A request that an application received through nginx. */
export type ReceivedRequest = Readonly<{
  method: string;
  path: string;
  body: string;
  headers: IncomingHttpHeaders;
  rawHeaders: readonly string[];
}>;

/** An answer of nginx. `received` is undefined unless the application answered. */
export type SiteAnswer = Readonly<{
  status: number;
  headers: IncomingHttpHeaders;
  received: ReceivedRequest | undefined;
}>;

/** Debian's nginx with the files of `deploy/nginx` before an application that returns the headers of requests, and a Keyfold of its own. */
export class NginxSite {
  private constructor(
    readonly app: StandaloneProcess,
    readonly admin: ApiClient,
    private readonly server: IsolatedServer,
    private readonly port: number,
    private readonly folder: string,
    private readonly ca: PrivateCa,
    private readonly application: Server,
    private readonly authority: Buffer,
  ) {}

  static async start(): Promise<NginxSite> {
    const [servers, port] = [await lastingPort(), await lastingPort()];
    const env = { KEYFOLD_SERVERS_PORT: String(servers), KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' };
    const app = await StandaloneProcess.start(env);
    const admin = await adminOf(new ApiClient(app.baseUrl));
    const application = await echo();
    const [folder, ca] = [await mkdtemp(join(tmpdir(), 'keyfold-nginx-')), newPrivateCa()];
    await copyFile(ca.certificate, join(folder, 'nginx.crt'));
    await copyFile(ca.key, join(folder, 'nginx.key'));
    for (const name of ['keyfold-server.conf', 'keyfold-login.conf'])
      await copyFile(join(DEPLOY, 'snippets', name), join(folder, name));
    const files = {
      'keyfold.conf': (await shipped('keyfold.conf')).replace('127.0.0.1:5245', `127.0.0.1:${servers}`),
      'nginx-token.conf': (await shipped('keyfold-token.conf')).replace('kf_…', await loginToken(admin)),
      'site.conf': (await shipped('site.conf'))
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${(application.address() as AddressInfo).port}`),
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const server = await IsolatedServer.start(port, join(import.meta.dirname, 'nginx.sh'), folder);
    return new NginxSite(app, admin, server, port, folder, ca, application, await readFile(ca.authority));
  }

  /** Creates an account, and an app password for `web`. */
  async user(
    username: string,
    fields: object = {},
  ): Promise<Readonly<{ owner: ApiClient; id: number; password: string }>> {
    await createAccount(this.admin, username, fields);
    const owner = await signedInAs(new ApiClient(this.app.baseUrl), username);
    const { id, password } = await newAppPassword(owner, { protocol: 'web' });
    return { owner, id, password };
  }

  /** Changes some fields of an account, as an administrator. */
  async update(username: string, fields: object): Promise<void> {
    const account = await accountNamed(this.admin, username);
    (await this.admin.post('/api/admin/user/update', { ...account, ...fields })).data();
  }

  /** Sends a request through nginx, from an address of this machine. With a body, it is a POST. */
  async ask(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    { localAddress = '127.0.0.1', body }: Readonly<{ localAddress?: string; body?: string }> = {},
  ): Promise<SiteAnswer> {
    const method = body === undefined ? 'GET' : 'POST';
    const options = { ca: this.authority, agent: false, localAddress, headers, method };
    const asking = request(`https://127.0.0.1:${this.port}${path}`, options).end(body);
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    const content = await text(answer);
    const received = answer.headers['x-application'] ? (JSON.parse(content) as ReceivedRequest) : undefined;
    return { status: answer.statusCode ?? 0, headers: answer.headers, received };
  }

  /** Sends a request with Basic authentication. */
  askAs(username: string, password: string, path = '/', localAddress = '127.0.0.1'): Promise<SiteAnswer> {
    return this.ask(path, { authorization: basic(username, password) }, { localAddress });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    this.application.closeAllConnections();
    this.application.close();
    await this.app.dispose();
    this.ca.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Returns the text of Basic authentication. */
export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** An application that answers with what it received. */
async function echo(): Promise<Server> {
  const answer = async (received: IncomingMessage, response: ServerResponse) => {
    const { method, url: path, headers, rawHeaders } = received;
    const body = await text(received);
    response.writeHead(path === '/broken' ? 500 : 200, { 'x-application': 'yes' });
    response.end(JSON.stringify({ method, path, headers, rawHeaders, body }));
  };
  const server = createServer({ maxHeaderSize: 65_536 }, (received, response) => void answer(received, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
