import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { newKeyLine } from '../support/key-line.js';
import { MeasuredService } from './measured-service.js';
import { inParallel, times } from './repeated.js';
import { accountCommit } from './worst-commits.js';
import { BODIES, HEADERS, KEYS, QUERIES } from './worst-inputs.js';

/** Connections of an attacker. */
const MANY = 8;
const PING = 'GET /ping HTTP/1.1\r\nHost: a\r\n\r\n';

let service: MeasuredService;
let api: ApiClient;
let admin: ApiClient;
let member: ApiClient;

beforeAll(async () => {
  service = await MeasuredService.start();
  api = new ApiClient(service.app.baseUrl);
  admin = await adminOf(api);
  member = await newMember(admin, 'attacker');
});
afterAll(() => service?.dispose());

const json = { 'content-type': 'application/json' };
const post = (client: ApiClient, path: string, body: string | Buffer) =>
  client.send({ method: 'POST', path, headers: json, body: Buffer.from(body) });

it.each(HEADERS)('a request with %s does not block the event loop', async (_what, headers) => {
  const client = api.with(headers);
  const paths = ['/api/me', '/api/public/settings', '/api/me/sshkey/list'];
  const requests = [
    ...paths.map((path) => () => client.get(path)),
    () => client.post('/api/auth/login', { username: 'nobody', password: 'wrong' }),
    () => client.send({ method: 'OPTIONS', path: '/api/me' }),
  ];
  await service.expectShortIterations(inParallel(MANY, (index) => requests[index % requests.length]!()));
});

it.each(QUERIES)('a query of %s does not block the event loop', async (_what, query) => {
  const paths = ['/api/admin/user/list', '/api/me/sshkey/list'];
  await service.expectShortIterations(inParallel(MANY, (index) => admin.get(`${paths[index % 2]!}?${query}`)));
});

it.each(BODIES)('a body of %s does not block the event loop', async (_what, body) => {
  const paths = ['/api/auth/login', '/api/me/update', '/api/me/sshkey/add', '/api/auth/2fa/verify'];
  await service.expectShortIterations(inParallel(MANY, (index) => post(member, paths[index % paths.length]!, body)));
});

it.each(KEYS)('a key of %s does not block the event loop', async (_what, key) => {
  await service.expectShortIterations(inParallel(MANY, () => member.post('/api/me/sshkey/add', { title: 'key', key })));
});

it('sixty bodies that end at the same time do not block the event loop', async () => {
  const body = `{${'"":1,'.repeat(26_000)}"a":1}`;
  const head = `POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const attack = async () => {
    const sockets = times(60).map(() => connect(service.app.port, '127.0.0.1'));
    await Promise.all(
      sockets.map(
        (socket) => new Promise<void>((sent) => void socket.write(`${head}${body.slice(0, -1)}`, () => sent())),
      ),
    );
    await Promise.all(sockets.map((socket) => (socket.write('}'), once(socket, 'data'))));
    for (const socket of sockets) socket.destroy();
  };
  await service.expectShortIterations(attack);
});

it('two hundred thousand requests in one write do not block the event loop', async () => {
  await service.expectShortIterations(() => exchangeBytes(service.app.baseUrl, PING.repeat(200_000)));
});

it('a full list of keys with the most expensive characters does not block the event loop', async () => {
  const owner = await newMember(admin, 'collector');
  const title = '<>&'.repeat(55);
  let keys = 0;
  for (let isFull = false; !isFull; keys++) {
    isFull =
      (await owner.post('/api/me/sshkey/add', { title: `${title}${keys}`, key: newKeyLine().line })).code !== 200;
  }
  expect(keys).toBeGreaterThan(500);
  const sizes = [10_000, keys - 5];
  await service.expectShortIterations(
    inParallel(2, (index) => owner.get(`/api/me/sshkey/list?per_page=${sizes[index % 2]!}`)),
  );
});

it('a list of a thousand accounts with long names does not block the event loop', async () => {
  const long = (start: string, bytes: number) => start.padEnd(bytes, 'u');
  const accounts = times(1_000).map((n) => accountCommit(1_000_000 + n, { any: long, plain: long }));
  const crowded = await MeasuredService.start(accounts);
  onTestFinished(() => crowded.dispose());
  const owner = await adminOf(new ApiClient(crowded.app.baseUrl));
  const { content } = (await owner.get('/api/admin/user/list')).data<{ content: object[] }>();
  expect(content.length).toBeGreaterThan(200);
  await crowded.expectShortIterations(inParallel(2, () => owner.get('/api/admin/user/list')));
});

it('QR codes for the longest names do not block the event loop', async () => {
  const owners = await Promise.all(times(4).map((n) => newMember(admin, `${n}${'😀'.repeat(500)}`)));
  // Each account is limited to ten per hour.
  await service.expectShortIterations(inParallel(4, (index) => owners[index]!.post('/api/auth/2fa/generate')));
});
