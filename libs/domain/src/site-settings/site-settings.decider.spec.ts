import { describe, expect, it } from 'vitest';
import { given, stateAfter } from '../../testing/decider-specification.js';
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

  it('saves an empty value', () => {
    given(siteSettingsDecider, settingsChanged({ home_icon: ['🏠', 'x'] }))
      .when(save({ home_icon: '' }))
      .thenEvents(settingsChanged({ home_icon: ['x', ''] }));
  });

  it('replaces another value by the factory value', () => {
    given(siteSettingsDecider, settingsChanged({ site_title: ['OpenList', 'Files'] }))
      .when(save({ site_title: 'OpenList' }))
      .thenEvents(settingsChanged({ site_title: ['Files', 'OpenList'] }));
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

  it('saves a secret that was found to be different, even an unknown one with an empty value', () => {
    given(siteSettingsDecider)
      .when(save({}, { sealedValues: { unknown: { sealed: 'sealed empty' } } }))
      .thenEvents(secretSettingChanged('unknown', 'sealed empty'));
  });

  it.each([
    [' 20 ', '20'],
    ['+5', '5'],
    ['007', '7'],
    ['9223372036854775807', '9223372036854775807'],
  ])('saves the chunk size %j as %j', (sent, stored) => {
    given(siteSettingsDecider)
      .when(save({ multipart_chunk_size: sent }))
      .thenEvents(settingsChanged({ multipart_chunk_size: ['10', stored] }));
  });

  it('changes nothing if the normalised value is the current one', () => {
    given(siteSettingsDecider)
      .when(save({ multipart_chunk_size: ' 010 ' }))
      .thenNothing();
  });

  it.each(['0', 'abc', '-1', '1.5', '', ' ', '1 0', '9223372036854775808', '9'.repeat(1_000)])(
    'refuses the chunk size %j and saves nothing',
    (multipart_chunk_size) => {
      given(siteSettingsDecider)
        .when(save({ site_title: 'lost', multipart_chunk_size }))
        .thenRefused('chunk-size-invalid');
    },
  );

  it.each(['null', '{}', '{"/":"_"}', ' {"a": "b"} '])('saves the character mapping %j as it is', (mapping) => {
    given(siteSettingsDecider)
      .when(save({ filename_char_mapping: mapping }))
      .thenEvents(settingsChanged({ filename_char_mapping: ['{"/": "|"}', mapping] }));
  });

  it.each(['x', '', '[]', '"a"', '1', '{"a":1}', '{"a":"b"} c'])('refuses the character mapping %j', (mapping) => {
    given(siteSettingsDecider)
      .when(save({ filename_char_mapping: mapping }))
      .thenRefused('character-mapping-invalid');
  });

  it.each(['foo', '', 'None', 'database,none'])('refuses the search index %j', (search_index) => {
    given(siteSettingsDecider).when(save({ search_index })).thenRefused('search-index-unknown');
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

describe('the state of the settings', () => {
  it('has neither saved values nor a token at first', () => {
    expect(stateAfter(siteSettingsDecider)).toStrictEqual({ values: {}, sealedValues: {}, sealedStaticToken: '' });
  });

  it('keeps the last value of each setting and the last token', () => {
    const state = stateAfter(
      siteSettingsDecider,
      staticTokenReset('one'),
      settingsChanged({ site_title: ['OpenList', 'Files'], home_icon: ['🏠', ''] }),
      secretSettingChanged('aria2_secret', 'sealed a'),
      secretSettingChanged('old', 'sealed b'),
      staticTokenReset('two'),
      settingsChanged({ site_title: ['Files', 'Archive'] }),
      secretSettingResealed('aria2_secret', 'resealed a'),
      settingDeleted('old'),
      staticTokenResealed('resealed two'),
    );
    expect(state).toStrictEqual({
      values: { site_title: 'Archive', home_icon: '' },
      sealedValues: { aria2_secret: 'resealed a' },
      sealedStaticToken: 'resealed two',
    });
  });
});
