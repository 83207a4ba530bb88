import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { sharedApp } from '../support/shared-app.js';

const POLL = { timeout: 20_000, interval: 5 };

const app = await sharedApp();

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
