import { beforeEach, describe, expect, it } from 'vitest';
import { operatorStores, type OperatorScene } from '../../../testing/operator-scene.js';
import type { SettingResult } from './import-settings.js';

describe.each(operatorStores)('the settings of an import on %s', (_, open) => {
  let scene: OperatorScene;
  beforeEach(async () => {
    scene = await open();
  });

  async function run(settings: Readonly<Record<string, string>>, write = true) {
    const sent = Object.entries(settings).map(([key, value]) => ({ key, value }));
    const args = { settings: sent, write, silent: false };
    const { status, out, err } = await scene.run({ command: 'import openlist-settings', args });
    expect(status, err.join()).toBe(0);
    return out.map((line) => JSON.parse(line) as SettingResult);
  }
  const outcomes = (results: readonly SettingResult[]) => results.map(({ setting, outcome }) => [setting, outcome]);
  const commits = () => scene.ports.store.readStreams([{ stream: 'site-settings', version: 0 }]);

  it('are shown with both values, without secrets, before anything is changed', async () => {
    expect(await run({ site_title: 'Ours', sso_client_secret: 's3cret', allow_indexed: 'false' }, false)).toEqual([
      { setting: 'site_title', outcome: 'taken', here: 'OpenList', there: 'Ours', problems: [] },
      { setting: 'sso_client_secret', outcome: 'taken', here: null, there: null, problems: [] },
      { setting: 'allow_indexed', outcome: 'unchanged', here: 'false', there: 'false', problems: [] },
    ]);
    expect(await commits()).toEqual([]);
  });

  it('are taken in one commit, once, and again if OpenList changed them', async () => {
    const settings = { site_title: 'Ours', sso_client_secret: 's3cret' };
    await run(settings);
    expect(outcomes(await run(settings))).toEqual([
      ['site_title', 'unchanged'],
      ['sso_client_secret', 'unchanged'],
    ]);
    expect(await commits()).toMatchObject([{ actor: 'import', causation: 'import:openlist' }]);
    expect(outcomes(await run({ site_title: 'Still ours' }))).toEqual([['site_title', 'taken']]);
  });

  it('that somebody changed here stay as they are', async () => {
    for (const [key, value] of [
      ['site_title', 'Here'],
      ['sso_client_secret', 'here'],
    ] as const)
      await scene.run({ command: 'settings set', args: { key, value, dryRun: false, json: false } });
    expect(outcomes(await run({ site_title: 'There', sso_client_secret: 'there', logo: 'there' }))).toEqual([
      ['site_title', 'changed here'],
      ['sso_client_secret', 'changed here'],
      ['logo', 'taken'],
    ]);
    const { out } = await scene.run({
      command: 'settings get',
      args: { keys: ['site_title'], reveal: false, json: false },
    });
    expect(out).toEqual(['Here']);
  });

  it('that were changed on both sides are told apart', async () => {
    await run({ site_title: 'Ours', sso_client_secret: 's3cret', logo: 'ours' });
    for (const key of ['site_title', 'sso_client_secret', 'logo'])
      await scene.run({ command: 'settings set', args: { key, value: 'here', dryRun: false, json: false } });
    expect(outcomes(await run({ site_title: 'There', sso_client_secret: 'there', logo: 'ours' }))).toEqual([
      ['site_title', 'changed on both sides'],
      ['sso_client_secret', 'changed on both sides'],
      ['logo', 'changed here'],
    ]);
  });

  it('that the API would refuse are problems, and the others are taken', async () => {
    const [refused, taken] = await run({ privacy_regs: '(', site_title: 'Ours' });
    expect(refused).toMatchObject({ outcome: 'refused', problems: [{ reason: 'privacy-patterns-invalid' }] });
    expect(taken).toMatchObject({ outcome: 'taken' });
  });

  it('include the static token if it is sent', async () => {
    const token = 'openlist-0a5bb6ac-25f2-426d-b06d';
    await run({ token });
    const { out } = await scene.run({ command: 'settings get', args: { keys: ['token'], reveal: true, json: false } });
    expect(out).toEqual([token]);
  });
});
