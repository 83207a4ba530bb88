import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyPair } from '../support/openssh/key-pair.js';
import { timesLength } from '../support/test-length.js';
import { addKey, keysOf, OpensshSite, removeKey, SFTP } from './openssh-site.js';

/** How often each kind of removal is tried. */
const TRIES = timesLength(3);

let site: OpensshSite;
beforeAll(async () => {
  site = await OpensshSite.start({ users: ['dan', 'dina', 'dora', 'xena'] });
});
afterAll(() => site?.stop());

describe('the next login is refused', () => {
  /** Takes the right to log in away and gives it back, several times, and tries to log in after each of both. */
  async function tries(name: string, pair: KeyPair, takeAway: () => Promise<void>, giveBack: () => Promise<void>) {
    for (let count = 0; count < TRIES; count++) {
      await giveBack();
      expect(await site.sshd.logIn(name, pair)).toMatchObject({ succeeded: true });
      await takeAway();
      expect(await site.sshd.logIn(name, pair)).toMatchObject({ succeeded: false });
    }
  }

  it('if the key was removed', async () => {
    const [owner, pair] = [await site.clientOf('dora'), await site.sshd.newKeyPair()];
    const takeAway = () => removeKey(owner, 'laptop');
    await tries('dora', pair, takeAway, () => addKey(owner, pair, 'laptop'));
  });

  it('if the key expired', async () => {
    const owner = await site.clientOf('xena');
    const pair = await site.keyOf(owner);
    const [key] = await keysOf(owner);
    const expireIn = async (milliseconds: number) => {
      const at = Date.now() + milliseconds;
      const expires = new Date(at).toISOString();
      (await owner.post('/api/me/sshkey/update', { id: key!.id, expires })).data();
      return at;
    };
    const takeAway = async () => {
      const at = await expireIn(500);
      while (Date.now() < at) await sleep(at - Date.now());
    };
    await tries('xena', pair, takeAway, async () => void (await expireIn(3_600_000)));
  });

  it('if the account was disabled', async () => {
    const pair = await site.keyOf(await site.clientOf('dan'));
    const takeAway = () => site.update('dan', { disabled: true });
    await tries('dan', pair, takeAway, () => site.update('dan', { disabled: false }));
  });

  it('if the permission was taken away', async () => {
    const pair = await site.keyOf(await site.clientOf('dina'));
    const takeAway = () => site.update('dina', { permission: 0 });
    await tries('dina', pair, takeAway, () => site.update('dina', { permission: SFTP }));
  });
});
