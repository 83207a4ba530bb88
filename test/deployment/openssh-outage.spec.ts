import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, createAccount, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { lastingPort } from '../support/lasting-port.js';
import type { KeyPair } from '../support/openssh/key-pair.js';
import { lookUpToken } from '../support/openssh/server-token.js';
import { Sshd } from '../support/openssh/sshd.js';
import { StandaloneProcess } from '../support/standalone-process.js';

let app: StandaloneProcess;
let sshd: Sshd;
let ann: ApiClient;
let kept: KeyPair;
let removed: KeyPair;
let unused: KeyPair;
let forgotten: KeyPair;

beforeAll(async () => {
  const port = await lastingPort();
  app = await StandaloneProcess.start({ KEYFOLD_SERVERS_PORT: String(port) });
  const admin = await adminOf(new ApiClient(app.baseUrl));
  const addresses = [`http://127.0.0.1:${port}`];
  const token = await lookUpToken(admin);
  sshd = await Sshd.start({ addresses, token, cacheTime: '1h', timeout: '1s', users: ['ann'] });
  await createAccount(admin, 'ann', { permission: 0b1100_0000_0000 });
  ann = await signedInAs(new ApiClient(app.baseUrl), 'ann');
  const pairs = [];
  for (let count = 0; count < 4; count++) pairs.push(await sshd.newKeyPair());
  [kept, removed, unused, forgotten] = pairs as [KeyPair, KeyPair, KeyPair, KeyPair];
  for (const [index, { line }] of pairs.entries())
    (await ann.post('/api/me/sshkey/add', { title: `key ${index}`, key: line })).data();
});
afterAll(async () => {
  await sshd.stop();
  await app.dispose();
});

async function remove(name: string): Promise<void> {
  const { content } = (await ann.get('/api/me/sshkey/list')).data<{ content: { id: number; title: string }[] }>();
  const { id } = content.find(({ title }) => title === name)!;
  (await ann.post(`/api/me/sshkey/delete?id=${id}`)).data();
}

const canLogIn = async (pair: KeyPair) => (await sshd.logIn('ann', pair)).succeeded;

it('keys that were used before work while Keyfold is away, and all keys work again at once', async () => {
  expect(await canLogIn(removed)).toBe(true);
  await remove('key 1');
  expect(await canLogIn(removed)).toBe(false);
  expect([await canLogIn(kept), await canLogIn(forgotten)]).toEqual([true, true]);
  await remove('key 3');

  await app.kill();
  // Keyfold refused this key before it went away, and has never given that one.
  expect([await canLogIn(removed), await canLogIn(unused)]).toEqual([false, false]);
  // This one was removed, but not tried since: the cache does not know of it yet.
  expect([await canLogIn(kept), await canLogIn(forgotten)]).toEqual([true, true]);

  await app.restart();
  // The first login after the return succeeds, and nothing waits.
  expect(await canLogIn(kept)).toBe(true);
  expect([await canLogIn(unused), await canLogIn(removed), await canLogIn(forgotten)]).toEqual([true, false, false]);
});

it('a login waits for a hanging Keyfold no longer than the time limits of look-up and report', async () => {
  expect(await canLogIn(kept)).toBe(true);
  process.kill(app.pid, 'SIGSTOP');
  try {
    const login = await sshd.logIn('ann', kept);
    expect(login.succeeded).toBe(true);
    // A client offers its key, then signs with it: two look-ups and the report, each of one second.
    expect(login.milliseconds).toBeLessThan(10_000);
  } finally {
    process.kill(app.pid, 'SIGCONT');
  }
});
