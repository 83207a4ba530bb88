import { expect, it } from 'vitest';
import { adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { sharedApp } from '../support/shared-app.js';
import { expectPingsInTime } from './pings.js';
import { inParallel, times } from './repeated.js';
import { BODIES, HEADERS, QUERIES } from './worst-inputs.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

/** Connections of an attacker. */
const MANY = 8;
const expectOthersServed = (attack: () => Promise<unknown>) => expectPingsInTime(app.baseUrl, attack);

// Each of these requests alone keeps the turns of the event loop short (event-loop.spec.ts).
it('the most expensive headers, queries, bodies and lists at once do not delay other clients', async () => {
  const member = await newMember(admin, 'collector');
  const add = (n: number) => ({ title: `${'x'.repeat(900)}${n}`, key: newKeyLine().line });
  for (const n of times(300)) (await member.post('/api/me/sshkey/add', add(n))).data();
  const headers = { 'content-type': 'application/json' };
  const requests = [
    ...HEADERS.map(
      ([, each]) =>
        () =>
          api.with(each).get('/api/public/settings'),
    ),
    ...QUERIES.map(
      ([, query]) =>
        () =>
          admin.get(`/api/admin/user/list?${query}`),
    ),
    ...BODIES.map(([, body]) => () => {
      const call = { method: 'POST', path: '/api/auth/login', headers, body: Buffer.from(body) };
      return api.send(call);
    }),
    () => member.get('/api/me/sshkey/list?per_page=10000'),
  ];
  let next = 0;
  await expectOthersServed(inParallel(MANY, () => requests[next++ % requests.length]!()));
});

it('three hundred parallel password changes of one account do not delay other clients', async () => {
  const member = await newMember(admin, 'changing');
  await createAccount(admin, 'waiting');
  const change = () => member.post('/api/me/update', { username: 'changing', password: 'pw-changing' });
  await expectOthersServed(async () => {
    const changes = times(300).map(change);
    expect((await api.from('203.0.113.77').logIn('waiting', 'pw-waiting')).code).toBe(200);
    await Promise.all(changes);
  });
});

it('230 parallel wrong logins from one network do not keep others from logging in', async () => {
  await createAccount(admin, 'victim');
  let isOver = false;
  let hashed = 0;
  const attack = times(230).map(async (n) => {
    for (let round = 0; !isOver; round++) {
      const source = api.from(`2001:db8:77:${(n * 40 + round) % 9_999}::1`);
      // Attacking logins may be refused: nothing is hashed while the queue is full or the source is throttled.
      const { code } = await source.logIn(`name ${n}-${round}`, 'wrong').catch(() => ({ code: 503 }));
      if (code === 401) hashed += 1;
    }
  });
  const waits: number[] = [];
  for (const n of times(12)) {
    const before = hashed;
    expect((await api.from(`203.0.${n}.9`).logIn('victim', 'pw-victim')).code).toBe(200);
    waits.push(hashed - before);
  }
  isOver = true;
  await Promise.all(attack);
  expect(hashed).toBeGreaterThan(12);
  // In order of arrival, each of these logins would have waited for the 200 queued hashes.
  expect(waits.toSorted((a, b) => a - b).at(6), waits.join()).toBeLessThan(50);
});
