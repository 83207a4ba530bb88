import { createHmac } from 'node:crypto';
import { posix } from 'node:path';
import { sendFile } from './downloads.js';
import { Refusal, type Exchange, type Routes } from './exchange.js';
import { joinBasePath, type Entry, type Files } from './files.js';
import type { Tokens } from './tokens.js';
import { isGuest, may } from './users.js';

const DENIED = new Refusal(403, 'permission denied');

/** The routes of files, and downloads by their sign. */
export class FileRoutes {
  constructor(
    private readonly files: Files,
    private readonly tokens: Tokens,
  ) {}

  readonly routes: Routes = {
    'POST /api/fs/list': ['guest-too', (exchange) => this.list(exchange)],
    'POST /api/fs/get': ['guest-too', (exchange) => this.get(exchange)],
    'PUT /api/fs/put': ['user', (exchange) => this.put(exchange)],
    'POST /api/fs/mkdir': ['user', (exchange) => this.makeFolder(exchange)],
    'POST /api/fs/rename': ['user', (exchange) => this.rename(exchange)],
    'POST /api/fs/add_offline_download': ['user', (exchange) => this.downloadOffline(exchange)],
    'POST /api/fs/remove': ['user', (exchange) => this.remove(exchange)],
  };

  /** Answers `/d` and `/p`. */
  async download(exchange: Exchange): Promise<void> {
    const path = exchange.path.slice('/d'.length);
    const sign = exchange.query('sign');
    if (sign === '') return exchange.sendErrorPage(401, 'Unauthorized', 'expire missing');
    if (sign !== this.signOf(path)) return exchange.sendErrorPage(401, 'Unauthorized', 'sign invalid');
    const entry = this.files.find(path);
    if (!entry || entry.isFolder) return exchange.sendErrorPage(500, 'Internal Server Error', 'object not found');
    await sendFile(exchange, entry);
  }

  private async list(exchange: Exchange) {
    const { folder } = await this.requested(exchange);
    const content = this.files.list(folder).map((entry) => this.shown(entry));
    return { content: content.length === 0 ? null : content, total: content.length, ...ALWAYS };
  }

  private async get(exchange: Exchange) {
    const { folder: path } = await this.requested(exchange);
    const entry = this.files.get(path);
    const shown = this.shown(entry);
    const link = `${exchange.publicOrigin}/p${encodeURI(path)}?sign=${shown.sign}`;
    const rest = { readme: '', header: '', provider: entry.isFolder ? 'unknown' : 'Local', related: null };
    return { ...shown, raw_url: entry.isFolder ? '' : link, ...rest };
  }

  private async put(exchange: Exchange): Promise<void> {
    const path = joinBasePath(exchange.user, decodeURIComponent(exchange.header('file-path')));
    if (!may(exchange.user, 'writeContent')) throw DENIED;
    await this.files.receive(exchange.body(), path);
  }

  private async makeFolder(exchange: Exchange): Promise<void> {
    const { path } = await exchange.json();
    if (!may(exchange.user, 'writeContent')) throw DENIED;
    this.files.makeFolder(joinBasePath(exchange.user, String(path)));
  }

  private async rename(exchange: Exchange): Promise<void> {
    const { path, name } = await exchange.json();
    if (!may(exchange.user, 'rename')) throw DENIED;
    const from = joinBasePath(exchange.user, String(path));
    const to = posix.join(posix.dirname(from), String(name));
    if (this.files.find(to)) throw new Refusal(403, `file [${String(name)}] exists`);
    this.files.move(from, to);
  }

  private async remove(exchange: Exchange): Promise<void> {
    const { dir, names } = await exchange.json();
    if (!Array.isArray(names) || names.length === 0) throw new Refusal(400, 'Empty file names');
    if (!may(exchange.user, 'remove')) throw DENIED;
    const folder = joinBasePath(exchange.user, String(dir));
    for (const name of names) this.files.remove(posix.join(folder, String(name)));
  }

  /** Asks each address once, as the tool SimpleHttp does. */
  private async downloadOffline(exchange: Exchange): Promise<void> {
    const { urls } = await exchange.json();
    if (!may(exchange.user, 'addOfflineDownload')) throw DENIED;
    for (const text of urls as string[]) {
      const url = new URL(text);
      const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString('base64')}`;
      [url.username, url.password] = ['', ''];
      await (await fetch(url, { headers: { authorization } })).body?.cancel();
    }
  }

  /** A shared link is served without a token, and a disabled guest is refused everything else. */
  private async requested(exchange: Exchange): Promise<{ folder: string }> {
    const path = String((await exchange.json())['path'] ?? '');
    if (path.startsWith('/@s')) return { folder: path.slice('/@s'.length) || '/' };
    const { user } = exchange;
    if (isGuest(user) && user.disabled) throw new Refusal(401, 'Guest user is disabled, login please');
    return { folder: joinBasePath(user, path) };
  }

  private shown({ path, name, size, isFolder, modified }: Entry) {
    const time = modified.toISOString();
    const sign = isFolder ? '' : this.signOf(path);
    const type = isFolder ? 1 : name.endsWith('.txt') ? 4 : 0;
    const hashes = { hashinfo: 'null', hash_info: null };
    return { name, size, is_dir: isFolder, modified: time, created: time, sign, thumb: '', type, ...hashes };
  }

  private signOf(path: string): string {
    const digest = createHmac('sha256', this.tokens.staticToken).update(`${path}:0`).digest('base64');
    return `${digest.replaceAll('+', '-').replaceAll('/', '_')}:0`;
  }
}

const ALWAYS = { readme: '', header: '', write: true, write_content_bypass: false, provider: 'unknown' };
