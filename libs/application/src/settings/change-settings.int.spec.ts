import { siteSettingsStream } from '@keyfold/projections';
import { Sealer } from '@keyfold/security';
import { beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { operator } from '../caller/caller.js';
import { ChangeSettingsCommand, ChangeSettingsHandler, type SettingInput } from './change-settings.js';
import { GetSettingsHandler, GetSettingsQuery, ListSettingsHandler, ListSettingsQuery } from './read-settings.js';
import { SettingList } from './setting-list.js';
import { SettingSecrets, UNREADABLE_SECRET } from './setting-secrets.js';

const PASSWORD = 'ldap_manager_password';
const TOKEN = 'x'.repeat(16);

let service: EmbeddedService;
let gateway: ReturnType<typeof gatewayWith>;

beforeEach(() => {
  service = new EmbeddedService();
  gateway = gatewayWith(service.sealer);
});

/** Returns the handlers of a process with these sealing keys. */
function gatewayWith(sealer: Sealer) {
  const { runner, loader } = service;
  const secrets = new SettingSecrets(sealer);
  const list = new SettingList(secrets, 'v1.0.0');
  const changes = new ChangeSettingsHandler(runner, loader, secrets);
  const values = new GetSettingsHandler(loader, list);
  const groups = new ListSettingsHandler(loader, list);
  return {
    save: (...settings: SettingInput[]) =>
      changes.execute(new ChangeSettingsCommand(operator, settings, { correlation: 'test' })),
    valuesOf: async (...keys: string[]) =>
      (await values.execute(new GetSettingsQuery(operator, keys))).map(({ value }) => value),
    list: (...chosen: number[]) =>
      groups.execute(new ListSettingsQuery(operator, chosen.length > 0 ? chosen : undefined)),
  };
}

async function version(): Promise<number> {
  const [loaded] = await service.loader.load(siteSettingsStream);
  return loaded.version;
}

describe('a save', () => {
  it('of the current secrets changes nothing', async () => {
    const settings = [
      { key: PASSWORD, value: 'pw' },
      { key: 'unknown', value: 'v' },
      { key: 'token', value: TOKEN },
    ];
    await gateway.save(...settings);
    await gateway.save(...settings, { key: 'aria2_uri', value: 'http://localhost:6800/jsonrpc' });
    expect(await version()).toBe(1);
  });

  it('saves a secret that another process changed after it was compared', async () => {
    await gateway.save({ key: PASSWORD, value: 'old' }, { key: 'token', value: TOKEN });
    const { runner } = service;
    const run = runner.run.bind(runner);
    runner.run = async (...command) => {
      runner.run = run;
      await gateway.save({ key: PASSWORD, value: 'other' }, { key: 'token', value: 'y'.repeat(16) });
      return run(...command);
    };
    await gateway.save({ key: PASSWORD, value: 'old' }, { key: 'token', value: TOKEN });
    expect(await gateway.valuesOf(PASSWORD, 'token')).toEqual(['old', TOKEN]);
  });

  it('is refused for its keys before its values', async () => {
    const save = gateway.save({ key: 'privacy_regs', value: '(' }, { key: 'not a key', value: '' });
    await expect(save).rejects.toThrow('setting-key-invalid');
  });
});

describe('a secret that no key opens', () => {
  beforeEach(async () => {
    await gateway.save({ key: PASSWORD, value: 'pw' }, { key: 'unknown', value: 'v' }, { key: 'token', value: TOKEN });
    gateway = gatewayWith(new Sealer([{ id: 'k2', key: Buffer.alloc(32, 8) }]));
  });

  it('does not affect other settings', async () => {
    expect(await gateway.valuesOf('site_title', 'aria2_secret')).toEqual(['OpenList', '']);
    expect(await gateway.list(1)).toHaveLength(8);
    await gateway.save({ key: 'site_title', value: 'Files' });
  });

  it('is shown as unreadable, among others that are shown', async () => {
    expect(await gateway.valuesOf(PASSWORD, 'unknown', 'token', 'site_title')).toEqual([
      UNREADABLE_SECRET,
      UNREADABLE_SECRET,
      UNREADABLE_SECRET,
      'OpenList',
    ]);
    expect(
      (await gateway.list()).filter(({ value }) => value === UNREADABLE_SECRET).map(({ key }) => key),
    ).toHaveLength(3);
  });

  it('is not replaced by a save of the list that shows it as unreadable', async () => {
    const shown = (await gateway.list()).map(({ key, value }) => ({ key, value }));
    await gateway.save(...shown, { key: 'site_title', value: 'Files' });
    gateway = gatewayWith(service.sealer);
    expect(await gateway.valuesOf(PASSWORD, 'unknown', 'token', 'site_title')).toEqual(['pw', 'v', TOKEN, 'Files']);
    // A gateway that has the key skips the text, too: the list may come from one that lacked it.
    await gateway.save(...shown);
    expect(await gateway.valuesOf(PASSWORD, 'unknown', 'token')).toEqual(['pw', 'v', TOKEN]);
  });

  it('is repaired by a save', async () => {
    await gateway.save({ key: PASSWORD, value: 'pw' }, { key: 'unknown', value: 'v' }, { key: 'token', value: TOKEN });
    expect(await gateway.valuesOf(PASSWORD, 'unknown', 'token')).toEqual(['pw', 'v', TOKEN]);
  });
});
