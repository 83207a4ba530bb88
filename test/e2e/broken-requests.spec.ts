import { connect } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ADMIN_PASSWORD, adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { logLines } from '../support/log-lines.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);

afterEach(async () => {
  expect((await api.get('/ping')).text).toBe('pong');
});

const send = (...lines: string[]) => exchangeBytes(app.baseUrl, `${lines.join('\r\n')}\r\n\r\n`);
/** Returns the status of an answer whose envelope has the same code and a message of one line. */
function statusOf(answer: string): number {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  expect(JSON.parse(body), answer).toEqual({ code: status, message: expect.stringMatching(/^[^\n]+$/), data: null });
  return status;
}

describe('bytes that are not HTTP', () => {
  it.each([
    ['a request line of one word', ['nonsense']],
    ['a request line without a path', ['GET  HTTP/1.1', 'Host: a']],
    ['an unknown method', ['FROB /ping', 'Host: a']],
    ['a method with invalid characters', ['FR(B /ping HTTP/1.1', 'Host: a']],
    ['a NUL in the path', ['GET /pi\0ng HTTP/1.1', 'Host: a']],
    ['a NUL in a header', ['GET /ping HTTP/1.1', 'Host: a', 'X-A: \0']],
    ['a header without a colon', ['GET /ping HTTP/1.1', 'Host: a', 'nonsense']],
    ['a space before the colon', ['GET /ping HTTP/1.1', 'Host : a']],
    ['two lengths', ['POST /api/auth/login HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2']],
    ['a length that is not a number', ['POST /api/auth/login HTTP/1.1', 'Host: a', 'Content-Length: ten']],
    ['a negative length', ['POST /api/auth/login HTTP/1.1', 'Host: a', 'Content-Length: -1']],
    [
      'a length with chunked encoding',
      ['POST /ping HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked'],
    ],
    ['two hosts', ['GET /ping HTTP/1.1', 'Host: a', 'Connection: close', 'Host: b']],
    ['an absolute address', ['GET http://a/ping HTTP/1.1', 'Host: a', 'Connection: close']],
    ['an unknown version', ['GET /ping HTTP/9.9', 'Host: a']],
    ['TLS', ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03']],
  ])('get 400: %s', async (_, lines) => {
    expect(statusOf(await send(...lines))).toBe(400);
  });

  it('get 400: a chunk with an invalid size', async () => {
    const head = ['POST /api/auth/login HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', '', 'zz'];
    expect(await send(...head)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('get 431: headers of more than 64 KiB', async () => {
    expect(statusOf(await send('GET /ping HTTP/1.1', 'Host: a', `X-A: ${'a'.repeat(65_536)}`))).toBe(431);
  });

  it('may end anywhere', async () => {
    const whole = 'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"username":"admin"';
    for (let length = 0; length <= whole.length; length += 7) await abandon(whole.slice(0, length));
  });
});

/** Sends bytes and closes the connection. */
function abandon(bytes: string): Promise<void> {
  return new Promise((closed) => {
    const socket = connect(app.port, '127.0.0.1', () => socket.end(bytes));
    socket.resume().on('error', () => undefined);
    socket.on('close', () => closed());
  });
}

describe('valid HTTP requests', () => {
  it.each(['/api/%', '/api/%zz', '/api/%c3%28/%', '/%e0%a4%a', '/api/%ff/%'])(
    'with the invalid path %s get 400',
    async (path) => {
      const answer = await api.get(path);
      expect([answer.status, answer.code]).toEqual([400, 400]);
    },
  );

  it('with exactly 64 KiB of request line and headers are handled', async () => {
    const long = 'a'.repeat(32_700);
    const answer = await send(`GET /ping?x=${long} HTTP/1.1`, 'Host: a', 'Connection: close', `Authorization: ${long}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*pong$/);
  });

  it('with a query of very many pairs are handled quickly', async () => {
    const pairs = Array.from({ length: 10_000 }, (_, n) => n.toString(36)).join('&');
    expect((await api.get(`/ping?${pairs}`)).text).toBe('pong');
  });

  it('with a query over 16 KiB are refused where the query would be read', async () => {
    const admin = await adminOf(api);
    const long = (length: number) => admin.get(`/api/admin/user/list?x=${'%41'.repeat((length - 2) / 3)}`);
    expect((await long(16_385)).outcome).toBe('400 the query is too long: at most 16384 bytes');
    expect((await long(16_382)).code).toBe(200);
    expect((await admin.get(`/api/admin/user/list?page=${'0'.repeat(10_000)}x`)).code).toBe(400);
  });

  it('with a body over 128 KiB get 413, even without a length', async () => {
    const body = Buffer.alloc(131_073, ' ');
    const answer = await api.send({ method: 'POST', path: '/api/auth/login', body });
    expect([answer.status, answer.code]).toEqual([413, 413]);
    const head = 'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunks = Buffer.concat([Buffer.from(`${head}20001\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
    expect(statusOf(await exchangeBytes(app.baseUrl, chunks))).toBe(413);
  });

  it('with a body of exactly 128 KiB are handled', async () => {
    const body = Buffer.alloc(131_072, ' ');
    const headers = { 'content-type': 'application/json' };
    const answer = await api.send({ method: 'POST', path: '/api/auth/login', headers, body });
    expect([answer.status, answer.code]).toEqual([200, 400]);
  });

  it('with an unsupported method get an envelope', async () => {
    for (const method of ['PROPFIND', 'TRACE', 'MKCOL', 'QUERY', 'PURGE']) {
      const answer = await api.send({ method, path: '/api/me' });
      expect([method, answer.status, answer.code]).toEqual([method, 405, 405]);
    }
  });

  it.each(['FROB', 'GETS', 'x-y_z.1', 'get'])(
    'with the method %s, which HTTP does not define, get 405',
    async (method) => {
      for (const before of ['', 'GET /ping HTTP/1.1\r\nHost: a\r\n\r\n']) {
        const answer = await send(`${before}${method} /api/nowhere HTTP/1.1`, 'Host: a');
        expect(answer.match(/HTTP\/1\.1 \d+/g)?.at(-1)).toBe('HTTP/1.1 405');
        expect(answer).toContain('Allow: GET, HEAD, POST\r\n');
      }
    },
  );

  it('with chunked encoding are handled', async () => {
    const [part, rest] = ['{"username":"admin",', `"password":"${ADMIN_PASSWORD}"}`];
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const answer = await send(
      'POST /api/auth/login HTTP/1.1',
      'Host: a',
      'Connection: close',
      'Content-Type: application/json',
      `Transfer-Encoding: chunked\r\n\r\n${chunk(part)}${chunk(rest)}0`,
    );
    expect(answer).toContain('{"code":200,"message":"success","data":{"token":"');
  });

  it('with an unknown expectation get 417', async () => {
    expect(statusOf(await send('GET /ping HTTP/1.1', 'Host: a', 'Connection: close', 'Expect: tea'))).toBe(417);
  });

  it('for a protocol upgrade are answered without one, and nothing more is read from the connection', async () => {
    const ping = ['GET /ping HTTP/1.1', 'Host: a'];
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', ''];
    const answers = await send(...ping, '', ...ping, ...upgrade, ...ping, '', 'GET /none HTTP/1.1', 'Host: a');
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(answers).toMatch(/\r\nconnection: close\r\n[^]*pong$/i);
  });

  it.each([
    '',
    ';',
    'application',
    '*/*',
    'text/html; charset=',
    'application/json/json',
    '\u00ff',
    'multipart/form-data',
  ])('with the Content-Type "%s" are handled', async (type) => {
    const headers = { 'content-type': type };
    const answer = await api.send({ method: 'POST', path: '/api/auth/login', headers, body: '{"username":"a"}' });
    expect([answer.status, answer.code]).toEqual([200, 400]);
  });

  it('with unusual characters are handled', async () => {
    const admin = await adminOf(api);
    for (const username of ['\0', 'a\0b', '\u{10FFFF}', '\u202e', "'; DROP TABLE commits; --", 'x'.repeat(4_096)]) {
      expect((await admin.post('/api/admin/user/create', { username, password: '\0' })).code).toBe(200);
      const user = await admin.from('192.0.2.1').signedIn(username, '\0');
      expect((await user.get('/api/me')).data()).toMatchObject({ username });
    }
  });

  it('with invalid UTF-8 are handled alike in bodies and queries', async () => {
    const admin = await adminOf(api);
    const body = Buffer.from('{"username":"\xff","password":"x"}', 'latin1');
    const headers = { 'content-type': 'application/json' };
    expect((await admin.send({ method: 'POST', path: '/api/admin/user/create', headers, body })).code).toBe(200);
    expect((await admin.post('/api/admin/user/del_cache?username=%ff')).code).toBe(200);
    expect((await admin.post('/api/admin/user/del_cache?username=%EF%BF%BD')).code).toBe(500);
    const refused = await admin.get('/api/admin/user/get?id=%ff');
    expect(refused.outcome).toBe(String.raw`400 strconv.Atoi: parsing "\xff": invalid syntax`);
  });
});

const POLL = { timeout: 20_000, interval: 5 };

const request = (line: string, body = '', ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: a', ...headers, '', body].join('\r\n');
const post = (path: string, body: object) =>
  request(`POST ${path}`, JSON.stringify(body), `Content-Length: ${JSON.stringify(body).length}`);
const login = (password = ADMIN_PASSWORD) => post('/api/auth/login', { username: 'admin', password });
const list = request('GET /api/me');

/** Returns the statuses of all answers on one connection. */
async function statusesOf(...bytes: string[]): Promise<number[]> {
  const received = await exchangeBytes(app.baseUrl, bytes.join(''));
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

it.each([
  ['a DELETE with a body but no length', [request('DELETE /api/me', '{"a":1}\r\n\r\n')], [405, 400]],
  ['a read, then noise', [list, 'noise\r\n\r\n'], [200, 400]],
  ['a slow login, then noise', [login(), 'noise\r\n\r\n'], [200, 400]],
  ['a refused login, then noise', [login('wrong'), '\0\0\0\0'], [200, 400]],
  ['three requests, then noise', [request('GET /ping'), login(), list, 'noise\r\n\r\n'], [200, 200, 200, 400]],
  ['a read, then an unknown method', [list, request('BREW /pot')], [200, 405]],
  [
    'a login, then a chunked body with an invalid size',
    [login(), request('POST /api/auth/login', 'zz\r\n', 'Transfer-Encoding: chunked')],
    [200, 400],
  ],
])('%s: each gets its answer, then the connection closes', async (_, bytes, statuses) => {
  expect(await statusesOf(...bytes)).toEqual(statuses);
});

it('a client that keeps sending and never closes gets its answers, then the connection closes', async () => {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.on('error', () => undefined);
  const closed = new Promise((end) => socket.on('close', end));
  socket.write(`${login()}noise\r\n\r\n`);
  await vi.waitUntil(() => received.includes(' 400 ') || !socket.write('noise\r\n\r\n'), POLL);
  await vi.waitUntil(() => received.includes(' 400 '), POLL);
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
  // The closed connection is detected on the next write.
  const writing = setInterval(() => socket.write('noise'), 200);
  await closed.finally(() => clearInterval(writing));
});

it('requests after bytes that are not HTTP get no answer', async () => {
  expect(await statusesOf(login(), 'noise\r\n\r\n', login(), list)).toEqual([200, 400]);
});

it('none of this logs an error', () => {
  expect(logLines(app.output()).filter(({ level }) => level >= 40)).toEqual([]);
});
