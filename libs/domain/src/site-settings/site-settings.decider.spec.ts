import { describe, expect, it } from 'vitest';
import { given } from '../../testing/decider-specification.js';
import {
  staticTokenResealed,
  staticTokenReset,
  secretSettingChanged,
  secretSettingResealed,
  settingDeleted,
  settingsChanged,
} from '../../testing/site-settings.events.js';
import type { ChangeSettings, DeleteSetting, ResetStaticToken } from './site-settings.commands.js';
import { siteSettingsDecider } from './site-settings.decider.js';
import { SETTINGS_BYTES } from './site-settings.state.js';

const save = (values: Record<string, string>, sealed: Partial<ChangeSettings> = {}): ChangeSettings => ({
  type: 'ChangeSettings',
  values: Object.entries(values),
  sealedValues: {},
  ...sealed,
});
const reset = (token: string): ResetStaticToken => ({ type: 'ResetStaticToken', sealedToken: `sealed ${token}` });
const remove = (key: string): DeleteSetting => ({ type: 'DeleteSetting', key });

describe('ChangeSettings', () => {
  it('saves the values that differ from the current ones, with the old values', () => {
    given(siteSettingsDecider, settingsChanged({ site_title: ['OpenList', 'Files'] }))
      .when(save({ site_title: 'Files', pagination_type: 'all', main_color: '#ff0000', sign_all: 'false' }))
      .thenEvents(settingsChanged({ main_color: ['#1890ff', '#ff0000'], sign_all: ['true', 'false'] }))
      .thenHolds();
  });

  it.each<[string, string, string, string, string?]>([
    ['an empty value', 'home_icon', 'x', ''],
    ['the factory value instead of another', 'site_title', 'Files', 'OpenList'],
    ['a normalised number', 'multipart_chunk_size', '10', ' 20 ', '20'],
    ['a number without its sign', 'multipart_chunk_size', '10', '+5', '5'],
    ['a number without leading zeros', 'multipart_chunk_size', '10', '007', '7'],
    ['the largest number', 'multipart_chunk_size', '10', '9223372036854775807'],
    ['a character mapping as it is', 'filename_char_mapping', '{"/": "|"}', 'null'],
    ['a character mapping as it is', 'filename_char_mapping', '{"/": "|"}', '{}'],
    ['a character mapping as it is', 'filename_char_mapping', '{"/": "|"}', '{"/":"_"}'],
    ['a character mapping as it is', 'filename_char_mapping', '{"/": "|"}', ' {"a": "b"} '],
  ])('saves %s: %s from %j to %j', (_what, key, from, sent, stored = sent) => {
    given(siteSettingsDecider, settingsChanged({ [key]: ['', from] }))
      .when(save({ [key]: sent }))
      .thenEvents(settingsChanged({ [key]: [from, stored] }));
  });

  it('saves the last of two values for a setting', () => {
    const values = [
      ['home_icon', '1'],
      ['home_icon', '2'],
    ] as const;
    given(siteSettingsDecider)
      .when({ ...save({}), values })
      .thenEvents(settingsChanged({ home_icon: ['🏠', '2'] }));
  });

  it.each([
    ['the factory values are sent', [], { site_title: 'OpenList' }],
    ['the saved values are sent', [settingsChanged({ home_icon: ['🏠', ''] })], { home_icon: '' }],
    ['another version is sent', [], { version: 'v9.9.9' }],
    ['no value is sent', [], {}],
    ['the normalised value is the current one', [], { multipart_chunk_size: ' 010 ' }],
  ])('does nothing if %s', (_what, history, values) => {
    given(siteSettingsDecider, ...history)
      .when(save(values))
      .thenNothing();
  });

  it('saves secrets, unknown settings and the static token sealed, in one commit with the others', () => {
    given(siteSettingsDecider)
      .when(
        save(
          { site_title: 'Files' },
          {
            sealedValues: { ldap_manager_password: { sealed: 'sealed pw' }, new_key: { sealed: 'sealed v' } },
            sealedStaticToken: { sealed: 'sealed one' },
          },
        ),
      )
      .thenEvents(
        settingsChanged({ site_title: ['OpenList', 'Files'] }),
        secretSettingChanged('ldap_manager_password', 'sealed pw'),
        secretSettingChanged('new_key', 'sealed v'),
        staticTokenReset('one'),
      );
  });

  it.each(['token', 'ldap_manager_password', 'Site_Title', 'constructor'])('never stores %j in plain text', (key) => {
    expect(() => siteSettingsDecider.decide(siteSettingsDecider.initialState, save({ [key]: 'x' }))).toThrow(
      `the value of ${key} must be sealed`,
    );
  });

  it('leaves out secrets that were found to be the same and are still stored', () => {
    const history = [
      secretSettingChanged('ldap_manager_password', 'sealed pw'),
      secretSettingChanged('unknown', 'sealed v'),
      staticTokenReset('one'),
    ];
    const found = {
      sealedValues: {
        ldap_manager_password: { sealed: 'again', sameAs: 'sealed pw' },
        unknown: { sealed: 'again', sameAs: 'sealed v' },
        aria2_secret: { sealed: 'again', sameAs: '' },
      },
      sealedStaticToken: { sealed: 'sealed again', sameAs: 'sealed one' },
    };
    given(siteSettingsDecider, ...history)
      .when(save({}, found))
      .thenNothing();
    given(
      siteSettingsDecider,
      ...history,
      secretSettingChanged('ldap_manager_password', 'sealed other'),
      settingDeleted('unknown'),
      secretSettingChanged('aria2_secret', 'sealed other'),
      staticTokenReset('two'),
    )
      .when(save({}, found))
      .thenEvents(
        secretSettingChanged('ldap_manager_password', 'again'),
        secretSettingChanged('unknown', 'again'),
        secretSettingChanged('aria2_secret', 'again'),
        staticTokenReset('again'),
      );
  });

  it.each(
    (
      [
        [
          'chunk-size-invalid',
          'multipart_chunk_size',
          ['0', 'abc', '-1', '1.5', '', ' ', '1 0', '9223372036854775808', '9'.repeat(1_000)],
        ],
        ['character-mapping-invalid', 'filename_char_mapping', ['x', '', '[]', '"a"', '1', '{"a":1}', '{"a":"b"} c']],
        ['search-index-unknown', 'search_index', ['foo', '', 'None', 'database,none']],
      ] as const
    ).flatMap(([refusal, key, values]) => values.map((value) => [refusal, key, value] as const)),
  )('refuses with %s and saves nothing if %s is %j', (refusal, key, value) => {
    given(siteSettingsDecider)
      .when(save({ site_title: 'lost', [key]: value }))
      .thenRefused(refusal);
  });

  it('refuses values that take too many bytes together', () => {
    const half = 'x'.repeat(SETTINGS_BYTES / 2);
    const history = [settingsChanged({ customize_head: ['', half] })];
    given(siteSettingsDecider, ...history)
      .when(save({ customize_body: half }))
      .thenRefused('settings-too-large');
    given(siteSettingsDecider, ...history)
      .when(save({}, { sealedValues: { unknown: { sealed: half } } }))
      .thenRefused('settings-too-large');
    given(siteSettingsDecider, ...history)
      .when(save({ customize_body: half, customize_head: '' }))
      .thenEvents(settingsChanged({ customize_body: ['', half], customize_head: [half, ''] }));
  });
});

describe('DeleteSetting', () => {
  it('deletes a setting that Keyfold does not know', () => {
    given(siteSettingsDecider, secretSettingChanged('old', 'sealed'))
      .when(remove('old'))
      .thenEvents(settingDeleted('old'));
  });

  it.each(['site_title', 'token', 'ldap_manager_password'])('refuses to delete %s, which is in use', (key) => {
    given(siteSettingsDecider, secretSettingChanged('ldap_manager_password', 'sealed'))
      .when(remove(key))
      .thenRefused('setting-not-deprecated');
  });

  it.each(['zzz', '', 'constructor', '__proto__'])('refuses %j, which does not exist', (key) => {
    given(siteSettingsDecider).when(remove(key)).thenRefused('deleted-setting-not-found');
  });

  it('refuses a setting that was deleted before', () => {
    given(siteSettingsDecider, secretSettingChanged('old', 'sealed'), settingDeleted('old'))
      .when(remove('old'))
      .thenRefused('deleted-setting-not-found');
  });
});

describe('ResetStaticToken', () => {
  it('replaces the static token, every time', () => {
    given(siteSettingsDecider).when(reset('one')).thenEvents(staticTokenReset('one')).thenHolds();
    given(siteSettingsDecider, staticTokenReset('one')).when(reset('two')).thenEvents(staticTokenReset('two'));
  });
});

describe('ResealSecrets', () => {
  const resealed = new Map([
    ['sealed one', 'resealed one'],
    ['sealed pw', 'resealed pw'],
  ]);
  const reseal = { type: 'ResealSecrets', resealed } as const;

  it('replaces the sealed texts of the current static token and the current settings', () => {
    given(
      siteSettingsDecider,
      staticTokenReset('one'),
      secretSettingChanged('ldap_manager_password', 'sealed pw'),
      secretSettingChanged('unknown', 'sealed v'),
    )
      .when(reseal)
      .thenEvents(staticTokenResealed('resealed one'), secretSettingResealed('ldap_manager_password', 'resealed pw'));
  });

  it('leaves out secrets that were replaced in the meantime', () => {
    given(
      siteSettingsDecider,
      staticTokenReset('one'),
      staticTokenReset('two'),
      secretSettingChanged('ldap_manager_password', 'sealed pw'),
      secretSettingChanged('ldap_manager_password', 'sealed other'),
    )
      .when(reseal)
      .thenNothing();
  });
});
