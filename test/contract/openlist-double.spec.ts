import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { bigSha256 } from '../support/openlist/downloads.js';
import { sha256Of } from '../support/openlist/files.js';
import { OpenListDouble } from '../support/openlist/openlist-double.js';
import { REDIRECT_TARGET } from '../support/openlist/proxy-cases.js';
import { BehindReplay, recordedExchanges } from './behind-replay.js';

const GENERAL = { base_path: '/', permission: 16383, role: 0, disabled: false, sso_id: '', allow_ldap: true };

let double: OpenListDouble;

beforeEach(async () => {
  double = await OpenListDouble.start({ adminPassword: 'admin' });
});

afterEach(() => double[Symbol.asyncDispose]());

it('answers like OpenList v4.2.5', async () => {
  double.files.write('/root.txt', 'root!');
  double.files.write('/alice/a.txt', 'of alice.');
  double.files.makeFolder('/alice/docs');
  const bound = new Map([
    ['admin token', await tokenOf('admin', 'admin')],
    ['base', double.url],
  ]);
  const replay = new BehindReplay(double.url, bound);
  const differences: Record<string, readonly string[]> = {};
  for (const exchange of recordedExchanges()) {
    if (exchange.note.startsWith('after its restart: every token')) await double.restart();
    const found = await replay.differences(exchange);
    if (found.length > 0) differences[exchange.note] = found;
  }
  expect(differences).toEqual({});
});

describe('tokens', () => {
  it('a restart keeps the port and the users, and ends every token', async () => {
    const { id } = double.users.addForeign('alice');
    const token = await tokenOf('alice', 'password of alice');
    await double.restart();
    expect(await call('GET', '/api/me', token)).toMatchObject({ code: 401, message: 'token is invalidated' });
    expect(double.users.named('alice')).toMatchObject({ id });
  });

  it('an expired token is refused', async () => {
    const token = await tokenOf('admin', 'admin');
    double.tokens.expireTokens();
    expect(await call('GET', '/api/me', token)).toMatchObject({ code: 401, message: 'token is expired' });
  });

  it('a token made after an update without a password outlives the next one, unless every update ends tokens', async () => {
    const { id } = double.users.addForeign('alice');
    const update = (permission: number) => admin('user/update', { ...GENERAL, id, username: 'alice', permission });
    await update(1);
    const token = await tokenOf('alice', 'password of alice');
    await update(2);
    expect(await call('GET', '/api/me', token)).toMatchObject({ code: 200, data: { permission: 2 } });
    double.users.everyUpdateEndsTokens = true;
    await update(3);
    expect(await call('GET', '/api/me', token)).toMatchObject({ message: 'Password has been changed, login please' });
  });

  it('a token speaks for the user that has its name now, unless a password came with the last update', async () => {
    const alice = double.users.addForeign('alice');
    const bob = double.users.addForeign('bob');
    const update = (id: number, username: string, password = '') =>
      admin('user/update', { ...GENERAL, id, username, password });
    await update(alice.id, 'alice');
    const token = await tokenOf('alice', 'password of alice');
    await update(alice.id, 'carol');
    await update(bob.id, 'alice');
    expect(await call('GET', '/api/me', token)).toMatchObject({ code: 200, data: { id: bob.id } });
    await update(bob.id, 'alice', 'new');
    expect(await call('GET', '/api/me', token)).toMatchObject({ message: 'Password has been changed, login please' });
  });

  it('a request during an update keeps the former rights until the cache is dropped', async () => {
    const { id } = double.users.addForeign('alice', { permission: 1 });
    const token = await tokenOf('alice', 'password of alice');
    double.users.beforeSave = () => call('GET', '/api/me', token);
    await admin('user/update', { ...GENERAL, id, username: 'alice', permission: 2 });
    expect(await call('GET', '/api/me', token)).toMatchObject({ data: { permission: 1 } });
    await admin('user/del_cache?username=alice', {});
    expect(await call('GET', '/api/me', token)).toMatchObject({ code: 401 });
  });

  it('five wrong logins lock an address for logins and WebDAV until a restart', async () => {
    for (let wrong = 0; wrong < 5; wrong++) await logIn('admin', 'wrong');
    expect(await logIn('admin', 'admin')).toMatchObject({ code: 429 });
    const authorization = `Basic ${Buffer.from('admin:admin').toString('base64')}`;
    expect((await dav('PROPFIND', '', { authorization })).status).toBe(429);
    // OpenList takes the address of a client from everybody.
    expect((await dav('PROPFIND', '', { authorization, 'x-forwarded-for': '192.0.2.1' })).status).toBe(207);
    await double.restart();
    expect(await logIn('admin', 'admin')).toMatchObject({ code: 200 });
    expect(double.tokens.wrongLogins).toBe(5);
  });
});

describe('files', () => {
  it('a range, a matching tag and HEAD get what they ask for', async () => {
    double.files.write('/a.txt', '0123456789');
    const get = (headers: Record<string, string>, method = 'GET') => dav(method, 'a.txt', headers);
    const tag = (await get({}, 'HEAD')).headers.get('etag') ?? '';
    expect(await (await get({ range: 'bytes=-3' })).text()).toBe('789');
    expect(await (await get({ range: 'bytes=8-', 'if-range': tag })).text()).toBe('89');
    expect((await get({ range: 'bytes=10-' })).status).toBe(416);
    expect((await get({ 'if-none-match': tag })).status).toBe(304);
  });

  it('an upload is counted while it arrives and hashed at its end', async () => {
    const upload = request(`${double.url}/api/fs/put`, {
      method: 'PUT',
      headers: { authorization: double.staticToken, 'file-path': '%2Fbig.bin' },
    });
    upload.write('first ');
    await eventually(() => expect(double.files.uploads[0]).toMatchObject({ received: 6, state: 'arriving' }));
    upload.end('second');
    await once(upload, 'response');
    expect(double.files.uploads[0]).toMatchObject({ state: 'complete', sha256: sha256Of('first second') });
  });

  it('only an upload that may begin is told to continue', async () => {
    const upload = (authorization: string) =>
      request(`${double.url}/api/fs/put`, {
        method: 'PUT',
        headers: { authorization, 'file-path': '%2Fa.txt', expect: '100-continue', 'content-length': 4 },
      });
    const refused = upload('unknown');
    refused.flushHeaders();
    const [{ headers }] = await once(refused, 'response');
    expect(headers.connection).toBe('close');
    refused.destroy();
    const taken = upload(double.staticToken);
    taken.flushHeaders();
    await once(taken, 'continue');
    taken.end('text');
    await once(taken, 'response');
    expect(double.files.uploads).toMatchObject([{ path: '/a.txt', state: 'complete' }]);
  });

  it('an upload that breaks off is no file', async () => {
    const upload = request(`${double.url}/dav/half.bin`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${double.staticToken}`, 'content-length': 100 },
    });
    upload.on('error', () => {}).write('half');
    await eventually(() => expect(double.files.uploads[0]?.received).toBe(4));
    upload.destroy();
    await eventually(() => expect(double.files.uploads[0]?.state).toBe('aborted'));
    expect(double.files.find('/half.bin')).toBeUndefined();
  });

  it('WebDAV refuses a destination on another host', async () => {
    double.files.write('/a.txt', 'a');
    const move = (host: string) => dav('MOVE', 'a.txt', { destination: `http://${host}/dav/b.txt` });
    expect((await move('files.example')).status).toBe(502);
    expect((await move(new URL(double.url).host)).status).toBe(201);
    expect(double.files.find('/b.txt')).toBeDefined();
  });
});

describe('for tests of a proxy', () => {
  it('/big streams bytes that depend on their position only', async () => {
    const size = 1_000_000;
    const whole = Buffer.from(await (await fetch(`${double.url}/big/${size}`)).arrayBuffer());
    expect(createHash('sha256').update(whole).digest('hex')).toBe(bigSha256(size));
    const part = await fetch(`${double.url}/big/${size}`, { headers: { range: 'bytes=70000-70009' } });
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(70_000, 70_010));
  });

  it('/big waits for a slow reader, and counts a reader that breaks off', async () => {
    const sent = request(`${double.url}/big/${1e12}`).end();
    const [response] = await once(sent, 'response');
    response.pause();
    await eventually(() => expect(double.requests).toMatchObject({ open: 1, aborted: 0 }));
    sent.destroy();
    await eventually(() => expect(double.requests).toMatchObject({ open: 0, aborted: 1 }));
  });

  it('/redirect, /slow and /abort do what their names say', async () => {
    const redirected = await fetch(`${double.url}/redirect`, { redirect: 'manual' });
    expect([redirected.status, redirected.headers.get('location')]).toEqual([302, REDIRECT_TARGET]);
    const slow = fetch(`${double.url}/slow`, { method: 'POST', body: 'x' });
    await eventually(() => expect(double.cases.slow).toBe(1));
    double.cases.releaseSlow();
    expect(await (await slow).text()).toBe('released');
    await expect((await fetch(`${double.url}/abort`)).text()).rejects.toThrow('terminated');
  });

  it('a request is remembered with the rights of its moment', async () => {
    const { id } = double.users.addForeign('alice', { permission: 8 });
    const token = await tokenOf('alice', 'password of alice');
    double.requests.forget();
    await call('GET', '/api/task/copy/undone', token);
    await admin('user/update', { ...GENERAL, id, username: 'alice', permission: 0 });
    expect(double.requests.received[0]).toMatchObject({
      url: '/api/task/copy/undone',
      authorization: token,
      user: { username: 'alice', permission: 8 },
      outcome: 'answered',
    });
  });

  it('refuses connections, hangs and answers 502 while told to', async () => {
    const ping = () => fetch(`${double.url}/ping`, { headers: { connection: 'close' } });
    await double.setFault('refuse');
    await expect(ping()).rejects.toThrow('fetch failed');
    await double.setFault('502');
    expect((await ping()).status).toBe(502);
    await double.setFault('hang');
    const hanging = new AbortController();
    const hung = fetch(`${double.url}/ping`, { signal: hanging.signal });
    await eventually(() => expect(double.requests.open).toBe(1));
    hanging.abort();
    await expect(hung).rejects.toThrow();
    await double.setFault(undefined);
    expect(await (await ping()).text()).toBe('pong');
  });

  it('runs as a process of its own', async () => {
    const program = join(import.meta.dirname, '../support/openlist/openlist-double.main.mjs');
    const child = spawn(process.execPath, [program, '--token', 'static'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [url] = await once(createInterface(child.stdout), 'line');
      const me = await fetch(`${url}/api/me`, { headers: { authorization: 'static' } });
      expect(await me.json()).toMatchObject({ data: { username: 'admin' } });
    } finally {
      child.kill();
    }
  });
});

type Envelope = Readonly<{ code: number; message: string; data: unknown }>;

async function call(method: string, path: string, authorization: string, body?: unknown): Promise<Envelope> {
  const response = await fetch(double.url + path, {
    method,
    headers: { authorization, connection: 'close' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Envelope;
}

function admin(route: string, body: unknown): Promise<Envelope> {
  return call('POST', `/api/admin/${route}`, double.staticToken, body);
}

function logIn(username: string, password: string): Promise<Envelope> {
  return call('POST', '/api/auth/login', '', { username, password });
}

async function tokenOf(username: string, password: string): Promise<string> {
  return ((await logIn(username, password)).data as { token: string }).token;
}

/** Sends a WebDAV request, as the administrator unless the headers say otherwise. */
function dav(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  const all = { authorization: `Bearer ${double.staticToken}`, connection: 'close', ...headers };
  return fetch(`${double.url}/dav/${path}`, { method, headers: all });
}
