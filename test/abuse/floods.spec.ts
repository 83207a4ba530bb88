import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createAccount } from '../support/accounts.js';
import { servedFileServers, SFTP } from '../support/openssh/file-servers.js';
import { expectPingsInTime } from './pings.js';
import { figuresOf } from './process-costs.js';
import { times } from './repeated.js';

/** Milliseconds. */
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

/** Sends the bytes on all connections at once, and waits until all are closed, some of them by a reset. */
async function flood(baseUrl: string, connections: number, bytes: string): Promise<void> {
  const sockets = await open(baseUrl, connections);
  const ended = sockets.map((socket) => new Promise((closed) => socket.resume().once('close', closed)));
  for (const socket of sockets) socket.end(bytes);
  await Promise.all(ended);
}

/** Returns the largest memory in bytes that the service reports until the attack is over. */
async function largestMemoryDuring(attack: Promise<void>): Promise<number> {
  let isOver = false;
  const over = attack.then(() => (isOver = true));
  let largest = 0;
  while (!isOver) largest = Math.max(largest, (await figuresOf(app.managementUrl)).memory);
  await over;
  return Math.max(largest, (await figuresOf(app.managementUrl)).memory);
}

it.each([
  [100, 'bodies of one-byte chunks', app.baseUrl, `POST /api/auth/login HTTP/1.1\r\n${CHUNKED}${CHUNKS}`],
  [100, 'bodies of one-byte chunks that nobody reads', app.baseUrl, `GET /ping HTTP/1.1\r\n${CHUNKED}${CHUNKS}`],
  [
    100,
    'bodies of one-byte chunks to the servers port',
    servers.baseUrl,
    `POST /logins HTTP/1.1\r\n${CHUNKED}${CHUNKS}`,
  ],
  [
    100,
    'pipelined requests, each with a body of one-byte chunks',
    app.baseUrl,
    `GET /ping HTTP/1.1\r\n${CHUNKED}${'1\r\n1\r\n'.repeat(250)}0\r\n\r\n`.repeat(200),
  ],
  // Many of these are answered, so they are a load as well.
  [50, 'pipelined requests', app.baseUrl, 'GET /ping HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000)],
  [100, 'heads of very many lines', app.baseUrl, `GET /ping HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(15_000)}\r\n`],
])('%i connections with %s delay nobody and take little memory', async (connections, _what, baseUrl, bytes) => {
  const before = await figuresOf(app.managementUrl);
  expect((await largestMemoryDuring(flood(baseUrl, connections, bytes))) - before.memory).toBeLessThan(LARGEST_GROWTH);
  await expectPingsInTime(app.baseUrl, () => flood(baseUrl, connections, bytes), LONGEST_P99);
});

it('more idle connections than the servers port keeps do not keep file servers out', async () => {
  await createAccount(admin, 'ann', { permission: SFTP });
  const idle = [...(await open(servers.baseUrl, 1_100)), ...(await open(servers.baseUrl, 200))];
  const answers = await Promise.all(times(50).map(() => servers.get('/authorized_keys?username=ann')));
  expect(answers.map(({ status }) => status)).toEqual(times(50).map(() => 200));
  for (const socket of idle) socket.destroy();
});

it('more idle connections than the management port keeps do not keep a scraper out', async () => {
  const idle = await open(app.managementUrl, 300);
  expect((await figuresOf(app.managementUrl)).memory).toBeGreaterThan(0);
  for (const socket of idle) socket.destroy();
});
