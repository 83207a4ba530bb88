import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import type { KeyPair } from '../support/openssh/key-pair.js';
import { OpensshSite, removeKey } from './openssh-site.js';

let site: OpensshSite;
let ann: ApiClient;
let kept: KeyPair;
beforeAll(async () => {
  site = await OpensshSite.start({ users: ['ann'], timeout: '1s' });
  ann = await site.clientOf('ann');
  kept = await site.keyOf(ann, 'kept');
});
afterAll(() => site?.stop());

const canLogIn = async (pair: KeyPair) => (await site.sshd.logIn('ann', pair)).succeeded;

it('keys that were used before work while Keyfold is down, and all keys work again at once', async () => {
  const [removed, unused] = [await site.keyOf(ann, 'removed'), await site.keyOf(ann, 'unused')];
  const forgotten = await site.keyOf(ann, 'forgotten');
  expect(await canLogIn(removed)).toBe(true);
  await removeKey(ann, 'removed');
  expect(await canLogIn(removed)).toBe(false);
  expect([await canLogIn(kept), await canLogIn(forgotten)]).toEqual([true, true]);
  await removeKey(ann, 'forgotten');

  await site.app.kill();
  // Keyfold refused this key before it went away, and has never given that one.
  expect([await canLogIn(removed), await canLogIn(unused)]).toEqual([false, false]);
  // This one was removed, but not tried since: the cache does not know of it yet.
  expect([await canLogIn(kept), await canLogIn(forgotten)]).toEqual([true, true]);

  await site.app.restart();
  // The first login after the return succeeds, and nothing waits.
  expect(await canLogIn(kept)).toBe(true);
  expect([await canLogIn(unused), await canLogIn(removed), await canLogIn(forgotten)]).toEqual([true, false, false]);
});

it('a login waits for a hanging Keyfold no longer than the time limits of look-up and report', async () => {
  expect(await canLogIn(kept)).toBe(true);
  process.kill(site.app.pid, 'SIGSTOP');
  try {
    const login = await site.sshd.logIn('ann', kept);
    expect(login.succeeded).toBe(true);
    // A client offers its key, then signs with it: two look-ups and the report, each of one second.
    expect(login.milliseconds).toBeLessThan(10_000);
  } finally {
    process.kill(site.app.pid, 'SIGCONT');
  }
});
