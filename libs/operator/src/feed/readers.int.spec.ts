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

  it('a rebuild of an unknown model is invalid usage', async () => {
    expect(await scene.run({ command: 'projections rebuild', args: { model: 'users' } })).toEqual({
      status: 2,
      out: [],
      err: [
        'unknown read model "users". Known models: accounts, sessions, ssh_key_rings, ssh_key_uses, access_tokens, app_passwords, site_settings, erasures',
      ],
    });
  });
});
