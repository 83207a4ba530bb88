import { openlistRelayName } from '@keyfold/messaging';
import { beforeEach, describe, expect, it } from 'vitest';
import { operatorStores, type OperatorScene } from '../../testing/operator-scene.js';

describe.each(operatorStores)('on %s', (_, open) => {
  let scene: OperatorScene;
  beforeEach(async () => {
    scene = await open();
    await scene.register(7, 'ann');
  });

  it.each([
    ['projections status', 'No stream is parked.'],
    ['feed status', 'No account is parked.'],
  ] as const)('%s is a table of the slots with a total', async (command, last) => {
    const { status, out } = await scene.run({ command, args: { json: false } });
    expect(status).toBe(0);
    expect(out[0]).toMatch(/^slot +head +checkpoint +lag +owner$/);
    expect(out[1]).toMatch(/^ *0 +\d+ +0 +\d+ +none$/);
    expect(out).toContainEqual(expect.stringMatching(/^ *all +1 +0 +1 +0 processes$/));
    expect(out.at(-1)).toBe(last);
  });

  it('feed status also shows the accounts that are carried to OpenList, once there was a relay to it', async () => {
    const { leases, parkedMirrors, feed } = scene.ports;
    const slot = feed.slotOf('7');
    const [lease] = await leases.take(openlistRelayName, 'a worker', [slot], 60_000);
    await leases.advance(lease!, 1);
    await parkedMirrors.park({ slot, partition: '7', position: 1, error: 'the name is taken', at: 0, epoch: 1 });
    const text = await scene.run({ command: 'feed status', args: { json: false } });
    const second = text.out.slice(text.out.indexOf('Accounts carried to OpenList:') + 1);
    expect(text.status).toBe(1);
    expect(second).toContainEqual(expect.stringMatching(/^ *all +1 +1 +0 +1 process$/));
    expect(second.slice(-2)).toEqual([
      '1 parked:',
      `  account 7 at position 1 of slot ${slot} since 1970-01-01T00:00:00.000Z: the name is taken`,
    ]);

    await leases.release([lease!]);
    const { out } = await scene.run({ command: 'feed status', args: { json: true } });
    expect(JSON.parse(out.join(''))).toMatchObject({
      reader: 'relay',
      parked: [],
      openlist: {
        reader: 'openlist',
        total: { carried: 1, lag: 0, owners: 0 },
        problem: expect.stringContaining('KEYFOLD_OPENLIST_URL'),
        parked: [{ partition: '7' }],
      },
    });
  });

  it('a rebuild of an unknown model is invalid usage', async () => {
    expect(await scene.run({ command: 'projections rebuild', args: { model: 'users' } })).toEqual({
      status: 2,
      out: [],
      err: [
        'unknown read model "users". Known models: accounts, sessions, ssh_key_rings, ssh_key_uses, access_tokens, app_passwords, openlist_users, site_settings, erasures',
      ],
    });
  });
});
