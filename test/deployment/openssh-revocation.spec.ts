import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyPair } from '../support/openssh/key-pair.js';
import type { SftpLogin } from '../support/openssh/sftp.js';
import { timesLength } from '../support/test-length.js';
import { addKey, keysOf, OpensshSite, removeKey, SFTP, type LookUp } from './openssh-site.js';

/** How often each kind of removal is tried. */
const TRIES = timesLength(20);

let site: OpensshSite;
beforeAll(async () => {
  site = await OpensshSite.start({ users: ['dan', 'dina', 'dora', 'xena'] });
});
afterAll(() => site?.stop());

type Timed = Readonly<{ milliseconds: number }>;
const percentile = (times: readonly Timed[], share: number) =>
  Math.round(
    times.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1]!,
  );

describe('the next login is refused within a second', () => {
  /** Takes the right to log in away and gives it back, many times, and tries to log in after each of both. */
  async function tries(name: string, pair: KeyPair, takeAway: () => Promise<void>, giveBack: () => Promise<void>) {
    const [accepted, refused]: [SftpLogin[], SftpLogin[]] = [[], []];
    const answers: LookUp[] = [];
    for (let count = 0; count < TRIES; count++) {
      await giveBack();
      accepted.push(await site.sshd.logIn(name, pair));
      await takeAway();
      answers.push(await site.lookUp(name, pair));
      refused.push(await site.sshd.logIn(name, pair));
    }
    const wrong = [...accepted.filter((each) => !each.succeeded), ...refused.filter((each) => each.succeeded)];
    expect(wrong).toEqual([]);
    // The first answer after the change is the refusal, and it comes at once.
    expect(answers.filter(({ text }) => text !== '')).toEqual([]);
    const times = (all: readonly Timed[]) => `${percentile(all, 0.5)} ms (p50), ${percentile(all, 0.99)} ms (p99)`;
    console.log(
      `after the change, Keyfold refuses within ${times(answers)} and sshd within ${times(refused)}; it accepts within ${times(accepted)}`,
    );
    expect(percentile(answers, 0.99)).toBeLessThan(1_000);
    // How long a login takes depends on the machine. Half of the refusals may not take a second longer than half of the others.
    expect(percentile(refused, 0.5)).toBeLessThan(percentile(accepted, 0.5) + 1_000);
  }

  it('if the key was removed', { timeout: 600_000 }, async () => {
    const [owner, pair] = [await site.clientOf('dora'), await site.sshd.newKeyPair()];
    const takeAway = () => removeKey(owner, 'laptop');
    await tries('dora', pair, takeAway, () => addKey(owner, pair, 'laptop'));
  });

  it('if the key expired', { timeout: 600_000 }, async () => {
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

  it('if the account was disabled', { timeout: 600_000 }, async () => {
    const pair = await site.keyOf(await site.clientOf('dan'));
    const takeAway = () => site.update('dan', { disabled: true });
    await tries('dan', pair, takeAway, () => site.update('dan', { disabled: false }));
  });

  it('if the permission was taken away', { timeout: 600_000 }, async () => {
    const pair = await site.keyOf(await site.clientOf('dina'));
    const takeAway = () => site.update('dina', { permission: 0 });
    await tries('dina', pair, takeAway, () => site.update('dina', { permission: SFTP }));
  });
});
