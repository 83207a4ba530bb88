import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { expectPingsInTime } from './pings.js';
import { sideBySide, times } from './repeated.js';

/** Of the 64 KiB that a head may have. */
const LONG = 60_000;

let app: StandaloneProcess;
let api: ApiClient;
let admin: ApiClient;

beforeAll(async () => {
  app = await StandaloneProcess.start();
  api = new ApiClient(app.baseUrl);
  admin = await adminOf(api);
});
afterAll(() => app?.dispose());

/** Connections of an attacker. */
const MANY = 8;
const expectOthersServed = (attack: () => Promise<unknown>) => expectPingsInTime(app.baseUrl, attack);

it.each([
  ['a list of very many tags', { 'if-none-match': ','.repeat(LONG) }],
  ['very many forwarded addresses', { 'x-forwarded-for': '1.2.3.4,'.repeat(LONG / 8) }],
  ['a token as long as a head', { authorization: 'a.'.repeat(LONG / 2) }],
  ['very many cookies', { cookie: 'keyfold_device=; '.repeat(LONG / 17) }],
])('requests with %s keep nobody else waiting', async (_what, headers) => {
  const client = api.with(headers);
  await expectOthersServed(sideBySide(MANY, () => client.get('/api/public/settings')));
});

it.each([
  ['pairs', `?${'%41&'.repeat(LONG / 4)}`],
  ['escapes', `?page=${'%30'.repeat(5_000)}`],
])('queries of very many %s keep nobody else waiting', async (_what, query) => {
  await expectOthersServed(sideBySide(MANY, () => admin.get(`/api/admin/user/list${query}`)));
});

it.each([
  ['deep JSON', '['.repeat(131_000)],
  [
    'JSON of very many fields',
    `{${times(10_000)
      .map((n) => `"${n}":1`)
      .join()}}`,
  ],
])('bodies of %s keep nobody else waiting', async (_what, body) => {
  const call = { method: 'POST', path: '/api/auth/login', headers: { 'content-type': 'application/json' } };
  await expectOthersServed(sideBySide(MANY, () => api.send({ ...call, body: Buffer.from(body) })));
});

it('two hundred thousand requests in one piece keep nobody else waiting', async () => {
  await expectOthersServed(async () => {
    const socket = connect(app.port, '127.0.0.1', () =>
      socket.write('GET /ping HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200_000)),
    );
    let bytes = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > 2_000_000) break;
    }
  });
});

it('an account with as many keys as it may have, which lists them all the time, keeps nobody else waiting', async () => {
  const member = await newMember(admin, 'collector');
  const title = 'x'.repeat(900);
  let keys = 0;
  for (let isFull = false; !isFull; keys++) {
    const key = `${newKeyLine().line} ${randomBytes(60).toString('hex')}`;
    isFull = (await member.post('/api/me/sshkey/add', { title: `${title}${keys}`, key })).code !== 200;
  }
  expect(keys).toBeGreaterThan(500);
  await expectOthersServed(sideBySide(MANY, () => member.get('/api/me/sshkey/list?per_page=10000')));
});

it('three hundred changes of one account at once, each with a password, keep nobody else waiting', async () => {
  const member = await newMember(admin, 'changing');
  await createAccount(admin, 'waiting');
  const change = () => member.post('/api/me/update', { username: 'changing', password: 'pw-changing' });
  const changes = times(300).map(change);
  expect((await api.from('203.0.113.77').logIn('waiting', 'pw-waiting')).code).toBe(200);
  await Promise.all(changes);
  await expectOthersServed(() => Promise.all(times(300).map(change)));
});

it('230 wrong logins at a time from one network let the others take their turn', async () => {
  await createAccount(admin, 'victim');
  let isOver = false;
  let hashed = 0;
  const attack = times(230).map(async (n) => {
    for (let round = 0; !isOver; round++) {
      const source = api.from(`2001:db8:77:${(n * 40 + round) % 9_999}::1`);
      // An attacker may wait in vain. While the queue is full, or the source is throttled, nothing is hashed.
      const { code } = await source.logIn(`name ${n}-${round}`, 'wrong').catch(() => ({ code: 503 }));
      if (code === 401) hashed += 1;
    }
  });
  const waits: number[] = [];
  for (const n of times(20)) {
    const before = hashed;
    expect((await api.from(`203.0.${n}.9`).logIn('victim', 'pw-victim')).code).toBe(200);
    waits.push(hashed - before);
  }
  isOver = true;
  await Promise.all(attack);
  expect(hashed).toBeGreaterThan(20);
  // In the order of arrival, the 200 hashes that wait would have come before each of these.
  expect(waits.toSorted((a, b) => a - b).at(10), waits.join()).toBeLessThan(50);
});
