import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createAccount } from '../support/accounts.js';
import { servedFileServers, SFTP } from '../support/openssh/file-servers.js';
import { expectPingsInTime } from './pings.js';
import { figuresOf } from './process-costs.js';
import { times } from './repeated.js';

/** Connections of an attacker. */
const MANY = 100;
/** Milliseconds. A hundred connections with requests that are answered are a load, too. */
const LONGEST_P99 = 300;
/** Bytes. */
const LARGEST_GROWTH = 100_000_000;

const { app, admin, servers } = await servedFileServers();

const CHUNKED = 'Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const CHUNKS = '1\r\n1\r\n'.repeat(130_000);

const open = (baseUrl: string, count: number): Promise<Socket[]> =>
  Promise.all(
    times(count).map(async () => {
      const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    }),
  );

/** Sends the bytes on many connections at once, and waits until all are closed, some of them by a reset. */
async function flood(baseUrl: string, bytes: string): Promise<void> {
  const sockets = await open(baseUrl, MANY);
  const ended = sockets.map((socket) => new Promise((closed) => socket.resume().once('close', closed)));
  for (const socket of sockets) socket.end(bytes);
  await Promise.all(ended);
}

it.each([
  ['bodies of one-byte chunks', app.baseUrl, `POST /api/auth/login HTTP/1.1\r\n${CHUNKED}${CHUNKS}`],
  ['bodies of one-byte chunks that nobody reads', app.baseUrl, `GET /ping HTTP/1.1\r\n${CHUNKED}${CHUNKS}`],
  ['bodies of one-byte chunks to the servers port', servers.baseUrl, `POST /logins HTTP/1.1\r\n${CHUNKED}${CHUNKS}`],
  ['pipelined requests', app.baseUrl, 'GET /ping HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000)],
  ['heads of very many lines', app.baseUrl, `GET /ping HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(15_000)}\r\n`],
])('a hundred connections with %s delay nobody and take little memory', async (_what, baseUrl, bytes) => {
  const before = await figuresOf(app.managementUrl);
  await flood(baseUrl, bytes);
  const after = await figuresOf(app.managementUrl);
  expect(after.memory - before.memory).toBeLessThan(LARGEST_GROWTH);
  await expectPingsInTime(app.baseUrl, () => flood(baseUrl, bytes), LONGEST_P99);
});

it('more idle connections than the servers port keeps do not keep file servers out', async () => {
  await createAccount(admin, 'ann', { permission: SFTP });
  const idle = [...(await open(servers.baseUrl, 1_100)), ...(await open(servers.baseUrl, 200))];
  const answers = await Promise.all(times(50).map(() => servers.get('/authorized_keys?username=ann')));
  expect(answers.map(({ status }) => status)).toEqual(times(50).map(() => 200));
  for (const socket of idle) socket.destroy();
});
