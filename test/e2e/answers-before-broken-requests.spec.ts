import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { StandaloneProcess } from '../support/standalone-process.js';

let app: StandaloneProcess;
beforeAll(async () => {
  app = await StandaloneProcess.start();
});
afterAll(() => app?.dispose());

const request = (line: string, body = '', ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: a', ...headers, '', body].join('\r\n');
const post = (path: string, body: object) =>
  request(`POST ${path}`, JSON.stringify(body), `Content-Length: ${JSON.stringify(body).length}`);
const login = (password = ADMIN_PASSWORD) => post('/api/auth/login', { username: 'admin', password });
const list = request('GET /api/me');

/** The statuses of all answers that come back in one connection, and what the last one says. */
async function statusesOf(...bytes: string[]): Promise<number[]> {
  const received = await exchangeBytes(app.baseUrl, bytes.join(''));
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

it.each([
  ['a DELETE with a body and no length', [request('DELETE /api/me', '{"a":1}\r\n\r\n')], [405, 400]],
  ['a read and noise', [list, 'noise\r\n\r\n'], [200, 400]],
  ['a login, which takes its time, and noise', [login(), 'noise\r\n\r\n'], [200, 400]],
  ['a refused login and noise', [login('wrong'), '\0\0\0\0'], [200, 400]],
  ['three requests and noise', [request('GET /ping'), login(), list, 'noise\r\n\r\n'], [200, 200, 200, 400]],
  ['a read and a method that nobody knows', [list, request('BREW /pot')], [200, 405]],
  [
    'a login and a body in chunks of no size',
    [login(), request('POST /api/auth/login', 'zz\r\n', 'Transfer-Encoding: chunked')],
    [200, 400],
  ],
])('%s: each gets its answer, and the connection ends', async (_, bytes, statuses) => {
  expect(await statusesOf(...bytes)).toEqual(statuses);
});

it('what comes behind bytes that are no HTTP is not answered', async () => {
  expect(await statusesOf(login(), 'noise\r\n\r\n', login(), list)).toEqual([200, 400]);
});
