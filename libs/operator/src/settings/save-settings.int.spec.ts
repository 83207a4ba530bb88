import { UNREADABLE_SECRET } from '@keyfold/application';
import { siteSettingsStream } from '@keyfold/projections';
import { Sealer } from '@keyfold/security';
import { beforeEach, expect, it } from 'vitest';
import { openScene, type OperatorScene } from '../../testing/operator-scene.js';
import { parseSettings } from './save-settings.js';

const SECRET = 'sso_client_secret';
const shown = { dryRun: false, json: true };

let scene: OperatorScene;
beforeEach(async () => {
  scene = await openScene();
});

const get = (...keys: string[]) => scene.run({ command: 'settings get', args: { keys, reveal: false, json: false } });
const reveal = async (key: string) =>
  (await scene.run({ command: 'settings get', args: { keys: [key], reveal: true, json: false } })).out[0];
const set = (key: string, value: string) => scene.run({ command: 'settings set', args: { key, value, ...shown } });
const diff = async () => (await scene.run({ command: 'settings diff', args: { reveal: false, json: true } })).out;
const exported = async (secrets: boolean) => {
  const { out } = await scene.run({ command: 'settings export', args: { secrets } });
  const parsed = parseSettings(out.join('\n'));
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.settings;
};
const save = (settings: readonly { key: string; value: string }[], dryRun = false) =>
  scene.run({ command: 'settings import', args: { settings: [...settings], dryRun, json: true } });
const commits = () => scene.ports.store.readStreams([{ stream: siteSettingsStream.stream, version: 0 }]);

it('a saved value is shown with the one before it, and its commit names the operator', async () => {
  expect(await set('site_title', 'Mine')).toEqual({
    status: 0,
    out: ['{"key":"site_title","from":"OpenList","to":"Mine","secret":false}'],
    err: [],
  });
  expect(await get('site_title')).toEqual({ status: 0, out: ['Mine'], err: [] });
  expect(await diff()).toEqual(['{"key":"site_title","factory":"OpenList","value":"Mine","secret":false}']);
  expect((await commits()).map(({ actor }) => actor)).toEqual(['operator']);
  expect(await set('site_title', 'Mine')).toEqual({ status: 0, out: [], err: [] });
  expect(await commits()).toHaveLength(1);
});

it('a secret is shown only on demand, and its event contains it sealed', async () => {
  const hidden = `{"key":"${SECRET}","from":null,"to":null,"secret":true}`;
  expect((await set(SECRET, 'hush')).out).toEqual([hidden]);
  expect((await get(SECRET)).out).toEqual(['(secret)']);
  expect((await get()).out.join()).not.toContain('hush');
  expect(await reveal(SECRET)).toBe('hush');
  expect(await diff()).toEqual([`{"key":"${SECRET}","factory":null,"value":null,"secret":true}`]);
  expect(JSON.stringify(await commits())).not.toContain('hush');
  expect(await exported(false)).not.toContainEqual(expect.objectContaining({ key: SECRET }));
  expect(await exported(true)).toContainEqual({ key: SECRET, value: 'hush' });
});

it('an unknown setting is secret, and can be deleted but not reset', async () => {
  await set('of_another_version', 'hush');
  expect((await get('of_another_version')).out).toEqual(['(secret)']);
  expect(await scene.run({ command: 'settings reset', args: { keys: ['of_another_version'], ...shown } })).toEqual({
    status: 1,
    out: [],
    err: [
      '"of_another_version" is no setting of Keyfold and has no factory value. Use "keyfold settings delete". Nothing was changed',
    ],
  });
  const deletion = { command: 'settings delete', args: { key: 'of_another_version' } } as const;
  expect(await scene.run(deletion)).toMatchObject({ status: 0, out: ['deleted the setting "of_another_version"'] });
  expect(await scene.run(deletion)).toMatchObject({
    status: 1,
    err: ['there is no such setting. Nothing was changed'],
  });
  expect(await diff()).toEqual([]);
});

it('after a reset of all, no setting differs, and the static token is the same', async () => {
  await scene.run({ command: 'settings reset-token', args: { json: false } });
  const token = await reveal('token');
  await set('site_title', 'Mine');
  await set(SECRET, 'hush');
  await set('max_client_download_speed', '-2');
  await scene.run({ command: 'settings reset', args: { keys: ['site_title'], ...shown } });
  expect(await diff()).toHaveLength(2);
  const preview = await scene.run({ command: 'settings reset', args: { keys: [], dryRun: true, json: true } });
  expect(preview.out).toHaveLength(2);
  expect(await diff()).toHaveLength(2);
  expect((await scene.run({ command: 'settings reset', args: { keys: [], ...shown } })).out).toEqual(preview.out);
  expect(await diff()).toEqual([]);
  expect(await reveal('token')).toBe(token);
});

it('an import of an export changes nothing', async () => {
  await scene.run({ command: 'settings reset-token', args: { json: false } });
  await set('site_title', 'Mine\r\n"\u202e');
  await set(SECRET, 'hush');
  await set('of_another_version', 'hush');
  const before = await commits();
  for (const secrets of [false, true])
    expect(await save(await exported(secrets))).toEqual({ status: 0, out: [], err: [] });
  expect(await commits()).toEqual(before);
});

it('an import is one commit, and a dry run none', async () => {
  const settings = [
    { key: 'site_title', value: 'Mine' },
    { key: SECRET, value: 'hush' },
  ];
  const preview = await save(settings, true);
  expect(preview.out).toHaveLength(2);
  expect(await commits()).toEqual([]);
  expect(await save(settings)).toEqual(preview);
  expect(await commits()).toHaveLength(1);
});

it('an import with a value that is refused saves nothing, and a dry run says so', async () => {
  for (const [key, value, reason] of [
    ['multipart_chunk_size', 'none', 'multipart_chunk_size: multipart chunk size must be'],
    ['a b', '', 'a key of a setting consists of'],
    ['token', 'short', 'token'],
    ['privacy_regs', '(', 'privacy_regs'],
  ] as const)
    for (const dryRun of [true, false]) {
      const { status, out, err } = await save(
        [
          { key: 'site_title', value: 'Mine' },
          { key, value },
        ],
        dryRun,
      );
      expect({ status, out }).toEqual({ status: 1, out: [] });
      expect(err.join()).toContain(reason);
      expect(err.join()).toMatch(/\. Nothing was changed$/);
    }
  expect(await diff()).toEqual([]);
});

it('a new static token is shown once', async () => {
  const { out } = await scene.run({ command: 'settings reset-token', args: { json: true } });
  const { token } = JSON.parse(out[0]!) as { token: string };
  expect(token).toMatch(/^openlist-[\w-]{100}$/);
  expect(await reveal('token')).toBe(token);
  expect((await get('token')).out).toEqual(['(secret)']);
  expect(JSON.stringify(await commits())).not.toContain(token);
});

it('a missing key, the version and the static token are refused with a hint', async () => {
  for (const [ran, reason] of [
    [await get('site_title', 'sitetitle'), 'no setting "sitetitle"'],
    [await set('version', 'x'), 'the setting "version" is read-only'],
    [
      await scene.run({ command: 'settings reset', args: { keys: ['token'], ...shown } }),
      'Use "keyfold settings reset-token"',
    ],
  ] as const) {
    expect(ran).toMatchObject({ status: 1, out: [] });
    expect(ran.err.join()).toContain(reason);
  }
});

it('a secret that no key opens fails only what needs its value, until a new one is saved', async () => {
  await set('site_title', 'Mine');
  const sealed = new Sealer([{ id: 'lost', key: Buffer.alloc(32, 9) }]).seal('hush', `site-settings/setting/${SECRET}`);
  const change = { type: 'ChangeSettings', values: [], sealedValues: { [SECRET]: { sealed } } } as const;
  const origin = { actor: 'test', correlation: 'test' };
  await (await scene.ports.runner()).run(siteSettingsStream, change, origin);
  const problem = expect.stringMatching(
    `^no sealing key opens the value of "${SECRET}"\\. Add the key that sealed it: .*`,
  );
  const revealed = await scene.run({ command: 'settings get', args: { keys: [], reveal: true, json: true } });
  expect(revealed).toMatchObject({ status: 1, err: [problem] });
  const values = new Map(
    revealed.out
      .map((line) => JSON.parse(line) as { key: string; value: string })
      .map(({ key, value }) => [key, value]),
  );
  expect([values.get('site_title'), values.get(SECRET)]).toEqual(['Mine', UNREADABLE_SECRET]);
  const single = await scene.run({ command: 'settings get', args: { keys: [SECRET], reveal: true, json: false } });
  expect(single).toEqual({ status: 1, out: [], err: [problem] });
  const exporting = (secrets: boolean) => scene.run({ command: 'settings export', args: { secrets } });
  expect(await exporting(true)).toEqual({ status: 1, out: [], err: [problem] });
  expect(await exporting(false)).toMatchObject({ status: 0, err: [] });
  expect((await get()).status).toBe(0);
  expect(await diff()).toContain(`{"key":"${SECRET}","factory":null,"value":null,"secret":true}`);
  expect(await set(SECRET, 'new')).toMatchObject({ status: 0 });
  expect(await reveal(SECRET)).toBe('new');
});
