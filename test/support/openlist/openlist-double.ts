import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { lastingPort } from '../lasting-port.js';
import { Exchange, Refusal, type Guard, type Routes } from './exchange.js';
import { FileRoutes } from './file-routes.js';
import { Files } from './files.js';
import { Metas } from './metas.js';
import { ProxyCases } from './proxy-cases.js';
import { Requests, type ReceivedRequest } from './requests.js';
import { Settings } from './settings.js';
import { SshKeys } from './ssh-keys.js';
import { Tokens } from './tokens.js';
import { isAdmin, isGuest, Users, type User } from './users.js';
import { WebDav } from './webdav.js';

/** A fault of the double: `refuse` closes its port, `hang` answers nothing, `502` is a proxy without OpenList. */
export type Fault = 'refuse' | 'hang' | '502';

export type DoubleOptions = Readonly<{
  port?: number;
  adminPassword?: string;
  staticToken?: string;
  /** The number of requests to remember at least. */
  remembered?: number;
  /** Makes it speak HTTPS. */
  tls?: Readonly<{ cert: Buffer; key: Buffer }>;
}>;

const PAGE =
  '<!doctype html>\n<html lang="en" translate="no">\n  <head>\n    <title>OpenList</title>\n  </head>\n</html>\n';

/**
 * An HTTP server that answers as OpenList v4.2.5 does (`behind.json`), with its state in memory. It also remembers what
 * it received, and has addresses and faults for tests of a proxy.
 */
export class OpenListDouble implements AsyncDisposable {
  readonly users: Users;
  readonly keys: SshKeys;
  readonly tokens: Tokens;
  readonly files = new Files();
  readonly settings: Settings;
  readonly metas = new Metas();
  readonly requests: Requests;
  readonly cases = new ProxyCases();
  /** The path of `site_url`, below which it answers then, such as `/files`. */
  sitePath = '';
  /** Awaited for each request before its user is read, which takes a real OpenList some time. */
  beforeRead: ((request: ReceivedRequest) => Promise<unknown> | undefined) | undefined;
  private readonly fileRoutes: FileRoutes;
  private readonly webDav: WebDav;
  private readonly routes: Routes;
  private readonly tls: DoubleOptions['tls'];
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private storages = 0;
  private fault: Fault | undefined;

  private constructor(
    readonly port: number,
    { adminPassword = 'password of admin', staticToken, remembered = 10_000, tls }: DoubleOptions,
  ) {
    this.tls = tls;
    this.users = new Users(adminPassword);
    this.keys = new SshKeys(this.users);
    this.tokens = new Tokens(this.users, staticToken);
    this.settings = new Settings(this.tokens);
    this.requests = new Requests(remembered);
    this.fileRoutes = new FileRoutes(this.files, this.tokens);
    this.webDav = new WebDav(this.users, this.tokens, this.files);
    this.routes = {
      'POST /api/admin/storage/create': ['admin', () => ({ id: ++this.storages })],
      ...this.users.routes,
      ...this.keys.routes,
      ...this.tokens.routes,
      ...this.settings.routes,
      ...this.metas.routes,
      ...this.fileRoutes.routes,
    };
  }

  /** Listens on a port of 127.0.0.1 that stays its own over restarts. */
  static async start(options: DoubleOptions = {}): Promise<OpenListDouble> {
    const double = new OpenListDouble(options.port || (await lastingPort()), options);
    await double.listen();
    return double;
  }

  get url(): string {
    return `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  get staticToken(): string {
    return this.tokens.staticToken;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.sockets.size;
  }

  /** Closes all connections, forgets tokens and wrong logins, and listens again. Users, keys and files stay. */
  async restart(): Promise<void> {
    await this.close();
    this.tokens.forgetAll();
    this.users.forgetCached();
    if (this.fault !== 'refuse') await this.listen();
  }

  /** Breaks the double, or mends it. `hang` and `502` hold for requests that arrive from now on. */
  async setFault(fault: Fault | undefined): Promise<void> {
    this.fault = fault;
    if (fault === 'refuse') await this.close();
    else if (!this.server) await this.listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private async listen(): Promise<void> {
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.serve(request, response);
    const options = { requestTimeout: 0, ...this.tls };
    const server: Server = this.tls ? createTlsServer(options, serve) : createServer(options, serve);
    server.on('checkContinue', serve);
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.server = server;
    await once(server.listen(this.port, '127.0.0.1'), 'listening');
  }

  private async close(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const closed = once(server, 'close');
    server.close();
    this.sockets.forEach((socket) => socket.destroy());
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const record = this.requests.remember(request, response);
    const isBelow = request.url?.startsWith(`${this.sitePath}/`) ?? false;
    if (isBelow) request.url = request.url!.slice(this.sitePath.length);
    const exchange = new Exchange(request, response, record);
    try {
      if (this.fault) this.answerFaulty(exchange);
      else if (request.url === '/' && this.sitePath && !isBelow)
        exchange.send(302, '', '', { location: this.sitePath });
      else if (!isBelow) sendPage(exchange);
      else await this.answer(exchange);
    } catch (error) {
      if (error instanceof Refusal) exchange.refuse(error);
      else if (error instanceof URIError) exchange.send(400, 'text/plain; charset=utf-8', '400 Bad Request');
      // The client has broken off.
      else if (request.errored || response.destroyed) response.destroy();
      else throw error;
    }
  }

  private answerFaulty(exchange: Exchange): void {
    this.requests.onReceived(exchange.record);
    if (this.fault === '502') exchange.send(502, 'text/html', '<html><body><h1>502 Bad Gateway</h1></body></html>');
  }

  private async answer(exchange: Exchange): Promise<void> {
    const { method, path, record, response } = exchange;
    await this.beforeRead?.(record);
    const isWebDav = /^\/dav(\/|$)/.test(path);
    const route = path.startsWith('/api/') ? (this.routes[`${method} ${path}`] ?? otherRoute(path)) : undefined;
    try {
      if (isWebDav) record.user = this.webDav.userOf(exchange);
      if (route) record.user = this.guard(exchange, route[0]);
    } finally {
      this.requests.onReceived(record);
    }
    if (response.writableEnded) return;
    if (isWebDav) await this.webDav.serve(exchange);
    else if (route) exchange.succeed((await route[1](exchange)) ?? null);
    else if (/^\/[dp]\//.test(path)) await this.fileRoutes.download(exchange);
    else if (!(await this.cases.serve(exchange))) sendPage(exchange);
  }

  private guard(exchange: Exchange, guard: Guard): User | undefined {
    if (guard === 'anyone') return undefined;
    const user = this.tokens.userOf(exchange, { disabledGuest: guard === 'guest-too' });
    exchange.record.user = user;
    if (guard === 'admin' && !isAdmin(user)) throw new Refusal(403, 'You are not an admin');
    if (guard === 'no-guest' && isGuest(user)) throw new Refusal(403, 'You are a guest');
    return user;
  }
}

/** Stands for the routes of OpenList that the double lacks: guarded like them, they succeed without data. */
function otherRoute(path: string): Routes[string] {
  if (path.startsWith('/api/public/')) return ['anyone', () => null];
  if (path.startsWith('/api/admin/')) return ['admin', () => null];
  if (path.startsWith('/api/fs/archive/')) return ['guest-too', () => null];
  return [/^\/api\/(task|share)\//.test(path) ? 'no-guest' : 'user', () => null];
}

function sendPage(exchange: Exchange): void {
  if (exchange.path === '/ping') exchange.send(200, 'text/plain; charset=utf-8', 'pong');
  // OpenList answers even a POST to an unknown address with its web page.
  else if (['GET', 'HEAD', 'POST'].includes(exchange.method)) exchange.send(200, 'text/html', PAGE);
  else exchange.send(405, '', '');
}
