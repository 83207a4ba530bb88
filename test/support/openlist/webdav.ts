import { STATUS_CODES } from 'node:http';
import { posix } from 'node:path';
import { staticHash } from '../static-hash.js';
import { sendEndless, sendFile } from './downloads.js';
import { Refusal, type Exchange } from './exchange.js';
import { contentTypeOf, etagOf, joinBasePath, type Entry, type Files } from './files.js';
import type { Tokens } from './tokens.js';
import { may, type User, type Users } from './users.js';

const PREFIX = '/dav';
/** A file whose download never ends. */
const ENDLESS = '/endless';
const CHANGING = ['PUT', 'MKCOL', 'MOVE', 'COPY', 'DELETE', 'PROPPATCH'];
const FOLDER_METHODS = 'OPTIONS, LOCK, DELETE, PROPPATCH, COPY, MOVE, UNLOCK, PROPFIND';
const FILE_METHODS = 'OPTIONS, LOCK, GET, HEAD, POST, DELETE, PROPPATCH, COPY, MOVE, UNLOCK, PROPFIND, PUT';
const NEW_METHODS = 'OPTIONS, LOCK, PUT, MKCOL';

/** OpenList's WebDAV, without locks and properties. */
export class WebDav {
  constructor(
    private readonly users: Users,
    private readonly tokens: Tokens,
    private readonly files: Files,
  ) {}

  /** Returns the user of a request, or undefined after refusing it. */
  userOf(exchange: Exchange): User | undefined {
    const user = this.passwordUserOf(exchange);
    if (typeof user !== 'number') return user;
    if (exchange.method === 'OPTIONS') return this.users.guest;
    const asks = user === 401 && basicOf(exchange) === undefined;
    exchange.send(user, '', '', asks ? { 'www-authenticate': 'Basic realm="openlist"' } : {});
    return undefined;
  }

  async serve(exchange: Exchange): Promise<void> {
    try {
      const path = joinBasePath(exchange.user, exchange.path.slice(PREFIX.length));
      const status = await this.answer(exchange, path);
      if (status !== undefined) sendStatus(exchange, status);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      sendStatus(exchange, error.code === 403 ? 403 : 404);
    }
  }

  /** Returns the status of an answer that has not been sent. */
  private async answer(exchange: Exchange, path: string): Promise<number | undefined> {
    const entry = this.files.find(path);
    switch (exchange.method) {
      case 'OPTIONS': {
        const allow = entry ? (entry.isFolder ? FOLDER_METHODS : FILE_METHODS) : NEW_METHODS;
        exchange.send(200, '', '', { allow, dav: '1, 2', 'ms-author-via': 'DAV' });
        return undefined;
      }
      case 'GET':
      case 'HEAD':
        if (path === ENDLESS) {
          await sendEndless(exchange);
          return undefined;
        }
        if (!entry) return 404;
        if (entry.isFolder) return 405;
        await sendFile(exchange, entry);
        return undefined;
      case 'PROPFIND':
        if (!entry) return 404;
        exchange.send(207, 'text/xml; charset=utf-8', this.multistatus(exchange, entry));
        return undefined;
      case 'PUT':
        if (!may(exchange.user, 'writeContent')) return 403;
        await this.files.receive(exchange.body(), path);
        return 201;
      case 'MKCOL':
        if (!may(exchange.user, 'writeContent')) return 403;
        if (entry) return 405;
        this.files.makeFolder(path);
        return 201;
      case 'DELETE':
        if (!may(exchange.user, 'remove')) return 403;
        if (!entry) return 404;
        this.files.remove(path);
        return 204;
      case 'COPY':
      case 'MOVE':
        return entry ? this.transfer(exchange, path) : 404;
      default:
        return 405;
    }
  }

  /** Copies or moves to `Destination`, whose host must be that of the request. A copy keeps its name, as in OpenList. */
  private transfer(exchange: Exchange, from: string): number {
    const { user, method } = exchange;
    const destination = exchange.header('destination');
    const url = URL.parse(destination, `http://${exchange.header('host')}`);
    if (destination === '' || !url) return 400;
    if (url.host !== exchange.header('host')) return 502;
    if (!url.pathname.startsWith(`${PREFIX}/`)) return 404;
    const to = joinBasePath(user, decodeURIComponent(url.pathname.slice(PREFIX.length)));
    if (to === from) return 403;
    if (method === 'COPY') {
      if (!may(user, 'copy')) return 403;
      this.files.copy(from, posix.join(posix.dirname(to), posix.basename(from)));
      return 201;
    }
    if (posix.dirname(to) !== posix.dirname(from) && !may(user, 'move')) return 403;
    if (posix.basename(to) !== posix.basename(from) && !may(user, 'rename')) return 403;
    this.files.move(from, to);
    return 201;
  }

  /** The addresses are those of the request, so they need no base path. */
  private multistatus(exchange: Exchange, entry: Entry): string {
    const address = exchange.path.replace(/\/$/, '');
    const inner = exchange.header('depth') === '0' || !entry.isFolder ? [] : this.files.list(entry.path);
    const rows = [
      responseOf(entry.isFolder ? `${address}/` : address, entry),
      ...inner.map((row) => responseOf(`${address}/${row.name}${row.isFolder ? '/' : ''}`, row)),
    ];
    return `<?xml version="1.0" encoding="UTF-8"?><D:multistatus xmlns:D="DAV:">${rows.join('')}</D:multistatus>`;
  }

  private passwordUserOf(exchange: Exchange): User | number {
    const address = exchange.clientAddress;
    if (this.tokens.isLocked(address)) return 429;
    const login = basicOf(exchange);
    if (!login)
      return exchange.header('authorization') === `Bearer ${this.tokens.staticToken}` ? this.users.admin : 401;
    const user = this.tokens.passwordUser(address, login.username, staticHash(login.password));
    exchange.record.isWrongLogin = user === undefined;
    if (!user) return 401;
    if (user.disabled || !may(user, 'readWebDav')) return 403;
    return CHANGING.includes(exchange.method) && !may(user, 'manageWebDav') ? 403 : user;
  }
}

function basicOf(exchange: Exchange): { username: string; password: string } | undefined {
  const [, encoded] = /^basic +(\S+)$/i.exec(exchange.header('authorization')) ?? [];
  const [, username, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  return username === undefined || password === undefined ? undefined : { username, password };
}

function sendStatus(exchange: Exchange, status: number): void {
  if (status === 204) return void exchange.response.writeHead(204).end();
  exchange.send(status, 'text/plain; charset=utf-8', STATUS_CODES[status] ?? '');
}

function responseOf(address: string, entry: Entry): string {
  const common = [
    element('displayname', escaped(entry.name)),
    element('getlastmodified', entry.modified.toUTCString()),
    element('supportedlock', LOCK),
  ];
  const created = element('creationdate', entry.modified.toISOString());
  const properties = entry.isFolder
    ? [created, element('resourcetype', '<D:collection xmlns:D="DAV:"/>'), ...common]
    : [created, ...fileProperties(entry), ...common, '<checksums xmlns="http://owncloud.org/ns"></checksums>'];
  const found = `${element('prop', properties.join(''))}${element('status', 'HTTP/1.1 200 OK')}`;
  return element('response', `${element('href', escaped(encodeURI(address)))}${element('propstat', found)}`);
}

function fileProperties(entry: Entry): readonly string[] {
  return [
    element('getcontenttype', contentTypeOf(entry)),
    element('getetag', etagOf(entry)),
    element('resourcetype', ''),
    element('getcontentlength', String(entry.size)),
  ];
}

function element(name: string, content: string): string {
  return `<D:${name}>${content}</D:${name}>`;
}

const LOCK =
  '<D:lockentry xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>';

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
