import { describe, expect, it } from 'vitest';
import { stateAfter } from '../../testing/decider-specification.js';
import { staticTokenReset, secretSettingChanged, settingsChanged } from '../../testing/site-settings.events.js';
import { factorySettings, isSealedSetting, settingFlag } from './factory-settings.js';
import { siteSettingsDecider } from './site-settings.decider.js';
import { deprecatedKeys, publicSettings, settingValue } from './site-settings.state.js';

describe('the factory settings', () => {
  it('are the 114 of the original, each once', () => {
    expect(factorySettings).toHaveLength(114);
    expect(new Set(factorySettings.map(({ key }) => key)).size).toBe(114);
  });

  it('have 46 public settings, one read-only setting and 67 private ones', () => {
    const counts = Object.groupBy(factorySettings, ({ flag }) => String(flag));
    expect(Object.entries(counts).map(([flag, settings = []]) => [flag, settings.length])).toEqual([
      [String(settingFlag.public), 46],
      [String(settingFlag.private), 67],
      [String(settingFlag.readOnly), 1],
    ]);
  });

  it('have options if, and only if, they are a select, and the default is one of them', () => {
    for (const { key, type, options, value } of factorySettings) {
      expect(options !== '', key).toBe(type === 'select');
      if (value !== '' && type === 'select') expect(options.split(','), key).toContain(value);
    }
  });

  it('are sealed if their name says that they are secret, and if they are unknown', () => {
    const secret = factorySettings.filter(({ key }) => /token$|secret|password$|_url$|_uri$/.test(key));
    expect(secret.map(({ key }) => key)).toContain('ldap_manager_password');
    for (const { key } of [...secret, { key: 'unknown' }, { key: 'constructor' }]) {
      if (key !== 'sftp_disable_password_login') expect(isSealedSetting(key), key).toBe(true);
    }
    expect(isSealedSetting('site_title')).toBe(false);
  });

  it('are never both secret and public', () => {
    expect(factorySettings.filter(({ secret, flag }) => secret && flag !== settingFlag.private)).toEqual([]);
  });
});

describe('the current value', () => {
  const settings = stateAfter(siteSettingsDecider, settingsChanged({ logo: ['x', ''] }));

  it.each([
    ['logo', '', 'the saved one, even if it is empty'],
    ['site_title', 'OpenList', "the factory's if none was saved"],
    ['constructor', '', 'empty if there is no such setting'],
  ])('of %j is %j: %s', (key, value) => {
    expect(settingValue(settings, key)).toBe(value);
  });
});

describe('the public settings', () => {
  const settings = stateAfter(
    siteSettingsDecider,
    settingsChanged({ site_title: ['OpenList', 'Files'], privacy_regs: ['x', 'private'] }),
    secretSettingChanged('ldap_manager_password', 'sealed'),
    secretSettingChanged('unknown', 'sealed'),
    staticTokenReset('one'),
  );
  const shown = publicSettings(settings, 'v4.2.5');

  it('contain the current values and the version', () => {
    expect(shown).toMatchObject({ site_title: 'Files', pagination_type: 'all', version: 'v4.2.5' });
  });

  it('are sorted by key in byte order', () => {
    const keys = Object.keys(shown);
    expect(keys).toStrictEqual(
      keys
        .map((key) => Buffer.from(key))
        .toSorted(Buffer.compare)
        .map(String),
    );
  });

  it('are the public settings of the factory and the version, whatever was saved', () => {
    const known = factorySettings.filter(({ flag }) => flag === settingFlag.public).map(({ key }) => key);
    expect(Object.keys(shown).toSorted()).toStrictEqual([...known, 'version'].toSorted());
    expect(JSON.stringify(shown)).not.toMatch(/sealed|private/);
  });
});

it('the deprecated settings are those that Keyfold does not know, by key', () => {
  const settings = stateAfter(
    siteSettingsDecider,
    secretSettingChanged('b', 'sealed'),
    secretSettingChanged('aria2_secret', 'sealed'),
    secretSettingChanged('a', 'sealed'),
    settingsChanged({ known_before: ['', 'plain'], site_title: ['OpenList', 'Files'] }),
  );
  expect(deprecatedKeys(settings)).toEqual(['a', 'b', 'known_before']);
});
