import { beforeEach, describe, expect, it } from 'vitest';
import { openScene, type OperatorScene } from '../../testing/operator-scene.js';

const EXPIRES = new Date(Date.now() + 86_400_000).toISOString();
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const kinds = [
  [
    'account tokens',
    'access token',
    (scene: OperatorScene, ...secret: Parameters<OperatorScene['addAccessToken']>) => scene.addAccessToken(...secret),
    { scopes: ['profile:read', 'keys:manage'] },
    'scopes     profile:read, keys:manage',
  ],
  [
    'account app-passwords',
    'app password',
    (scene: OperatorScene, ...secret: Parameters<OperatorScene['addAppPassword']>) => scene.addAppPassword(...secret),
    { protocol: 'any' },
    'protocol   any',
  ],
] as const;

describe.each(kinds)('%s', (command, noun, add, details, detailLine) => {
  let scene: OperatorScene;
  beforeEach(async () => {
    scene = await openScene();
    await scene.register(7, 'ann');
    await scene.register(8, 'bob');
    await add(scene, 7, 'back\nup', Date.parse(EXPIRES));
    await add(scene, 7, 'phone');
  });

  const run = (username: string, revoke?: number, json = false) =>
    scene.run({ command, args: { username, revoke, json } });
  const listed = async () =>
    (await run('ann', undefined, true)).out.map((line) => JSON.parse(line) as { id: number; created: string });

  it('shows the secrets of an account, oldest first', async () => {
    const secrets = await listed();
    const shared = { ...details, id: expect.any(Number), created: expect.stringMatching(TIME), lastUsed: null };
    expect(secrets).toEqual([
      { ...shared, name: 'back\nup', expires: EXPIRES, expired: false },
      { ...shared, name: 'phone', expires: null, expired: false },
    ]);
    const [one, other] = secrets;
    expect(await run('ann')).toEqual({
      status: 0,
      out: [
        `${one!.id}  back\\nup`,
        `  ${detailLine}`,
        `  created    ${one!.created}`,
        `  expires    ${EXPIRES}`,
        '  last used  never',
        `${other!.id}  phone`,
        `  ${detailLine}`,
        `  created    ${other!.created}`,
        '  expires    never',
        '  last used  never',
        `2 ${noun}s of "ann"`,
      ],
      err: [],
    });
    expect(await run('bob')).toEqual({ status: 0, out: [`0 ${noun}s of "bob"`], err: [] });
  });

  it('revokes only secrets of the account, as the operator', async () => {
    const refused = { status: 1, out: [], err: [`the account has no such ${noun}. Nothing was changed`] };
    const [one, other] = await listed();
    for (const id of [one!.id, 1, Number.MAX_SAFE_INTEGER]) expect(await run('bob', id)).toEqual(refused);
    expect(await run('nobody', one!.id)).toMatchObject({
      status: 1,
      err: ['no account "nobody". Nothing was changed'],
    });
    const done = { status: 0, out: [`revoked the ${noun} ${one!.id} of "ann"`], err: [] };
    expect(await run('ann', one!.id)).toEqual(done);
    expect(await run('ann', one!.id)).toEqual(refused);
    expect(await listed()).toMatchObject([{ id: other!.id }]);
    const stream = command === 'account tokens' ? 'access-tokens-7' : 'app-passwords-7';
    const { out } = await scene.run({ command: 'events show', args: { stream, json: false } });
    expect(out).toContain('  actor        operator');
    expect(out.join('\n')).toMatch(/hash: "hidden"/);
  });
});
