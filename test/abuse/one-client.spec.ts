import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { pingsBeside } from './pings.js';

/**
 * Milliseconds. On two idle cores pings beside these attacks take a tenth of it; before they were bounded, each took seconds. A machine
 * that runs other tests as well is no failure.
 */
const LONGEST_P99 = 1_000;
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

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Does it again and again on so many connections at once. */
const overAndOver = (connections: number, rounds: number, once: (turn: number) => Promise<unknown>) => () =>
  Promise.all(
    times(connections).map(async (connection) => {
      for (const round of times(rounds)) await once(connection * rounds + round);
    }),
  );

async function expectOthersServed(attack: () => Promise<unknown>): Promise<void> {
  const pings = await pingsBeside(app.baseUrl, attack);
  expect(pings.count).toBeGreaterThan(5);
  expect(pings, JSON.stringify(pings)).toMatchObject({ p99: expect.toSatisfy((p99: number) => p99 < LONGEST_P99) });
}

it.each([
  ['a list of very many tags', { 'if-none-match': ','.repeat(LONG) }],
  ['very many forwarded addresses', { 'x-forwarded-for': '1.2.3.4,'.repeat(LONG / 8) }],
  ['a token as long as a head', { authorization: 'a.'.repeat(LONG / 2) }],
  ['very many cookies', { cookie: 'keyfold_device=; '.repeat(LONG / 17) }],
])('requests with %s keep nobody else waiting', async (_what, headers) => {
  const client = api.with(headers);
  await expectOthersServed(overAndOver(8, 100, () => client.get('/api/public/settings')));
});

it.each([
  ['pairs', `?${'%41&'.repeat(LONG / 4)}`],
  ['escapes', `?page=${'%30'.repeat(5_000)}`],
])('queries of very many %s keep nobody else waiting', async (_what, query) => {
  await expectOthersServed(overAndOver(8, 50, () => admin.get(`/api/admin/user/list${query}`)));
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
  await expectOthersServed(overAndOver(8, 50, () => api.send({ ...call, body: Buffer.from(body) })));
});

it('two hundred thousand requests in one piece keep nobody else waiting', async () => {
  const socket = connect(app.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const flooded = () =>
    new Promise<void>((resolve) => {
      let bytes = 0;
      socket.on('data', ({ length }) => {
        bytes += length;
        if (bytes > 2_000_000) resolve();
      });
      socket.write('GET /ping HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200_000));
    });
  await expectOthersServed(flooded);
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
  await expectOthersServed(overAndOver(8, 10, () => member.get('/api/me/sshkey/list?per_page=10000')));
});

it('three hundred changes of one account at once, each with a password, let somebody else log in', async () => {
  const member = await newMember(admin, 'changing');
  await createAccount(admin, 'waiting');
  const change = () => member.post('/api/me/update', { username: 'changing', password: 'pw-changing' });
  const changes = times(300).map(change);
  expect((await api.from('203.0.113.77').logIn('waiting', 'pw-waiting')).code).toBe(200);
  await expectOthersServed(() => Promise.all(changes));
});

it('230 wrong logins at a time from one network let the others of their turn', async () => {
  await createAccount(admin, 'victim');
  let isOver = false;
  let failures = 0;
  const attack = times(230).map(async (n) => {
    for (let round = 0; !isOver; round++) {
      const source = api.from(`2001:db8:77:${(n * 40 + round) % 9_999}::1`);
      if ((await source.logIn(`name ${n}-${round}`, 'wrong')).code !== 200) failures += 1;
    }
  });
  const waits: number[] = [];
  for (const n of times(20)) {
    const began = performance.now();
    expect((await api.from(`203.0.${n}.9`).logIn('victim', 'pw-victim')).code).toBe(200);
    waits.push(Math.round(performance.now() - began));
  }
  isOver = true;
  await Promise.all(attack);
  expect(failures).toBeGreaterThan(230);
  // In the order of their coming each would have waited for 200 hashes before.
  expect(waits.toSorted((a, b) => a - b).at(10), waits.join()).toBeLessThan(LONGEST_P99 * 2);
});
