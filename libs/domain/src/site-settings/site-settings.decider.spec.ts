import { describe, expect, it } from 'vitest';
import { given, stateAfter } from '../../testing/decider-specification.js';
import { apiTokenResealed, apiTokenReset, settingsChanged } from '../../testing/site-settings.events.js';
import {
  publicSettings,
  settingValue,
  siteSettingsDecider,
  type ChangeSettings,
  type ResetApiToken,
} from './site-settings.decider.js';

const save = (values: Record<string, string>): ChangeSettings => ({ type: 'ChangeSettings', values });
const reset = (token: string): ResetApiToken => ({ type: 'ResetApiToken', sealedToken: `sealed ${token}` });

describe('ChangeSettings', () => {
  it('saves the values that differ from the current ones', () => {
    given(siteSettingsDecider, settingsChanged({ site_title: 'Files' }))
      .when(save({ site_title: 'Files', pagination_type: 'all', main_color: '#ff0000' }))
      .thenEvents(settingsChanged({ main_color: '#ff0000' }))
      .thenHolds();
  });

  it('saves an empty value', () => {
    given(siteSettingsDecider)
      .when(save({ logo: '' }))
      .thenEvents(settingsChanged({ logo: '' }));
  });

  it('replaces another value by the factory value', () => {
    given(siteSettingsDecider, settingsChanged({ site_title: 'Files' }))
      .when(save({ site_title: 'OpenList' }))
      .thenEvents(settingsChanged({ site_title: 'OpenList' }));
  });

  it.each([
    ['the factory values are sent', [], { site_title: 'OpenList' }],
    ['the saved values are sent', [settingsChanged({ logo: '' })], { logo: '' }],
    ['no value is sent', [], {}],
  ])('does nothing if %s', (_what, history, values) => {
    given(siteSettingsDecider, ...history)
      .when(save(values))
      .thenNothing();
  });

  it.each(['token', 'version', 'Site_Title', 'constructor'])('refuses %j, which is not a setting', (key) => {
    given(siteSettingsDecider)
      .when(save({ site_title: 'Files', [key]: 'x' }))
      .thenRefused('setting-not-found');
  });
});

describe('ResetApiToken', () => {
  it('replaces the static token, every time', () => {
    given(siteSettingsDecider).when(reset('one')).thenEvents(apiTokenReset('one')).thenHolds();
    given(siteSettingsDecider, apiTokenReset('one')).when(reset('two')).thenEvents(apiTokenReset('two'));
  });
});

describe('ResealSecrets', () => {
  const reseal = { type: 'ResealSecrets', resealed: new Map([['sealed one', 'resealed one']]) } as const;

  it('replaces the sealed text of the current static token', () => {
    given(siteSettingsDecider, apiTokenReset('one')).when(reseal).thenEvents(apiTokenResealed('resealed one'));
    given(siteSettingsDecider, apiTokenReset('one'), apiTokenReset('two')).when(reseal).thenNothing();
  });
});

describe('the state of the settings', () => {
  it('has neither saved values nor a token at first', () => {
    expect(stateAfter(siteSettingsDecider)).toStrictEqual({ values: {}, sealedApiToken: '' });
  });

  it('keeps the last value of each setting and the last token', () => {
    const state = stateAfter(
      siteSettingsDecider,
      apiTokenReset('one'),
      settingsChanged({ site_title: 'Files', logo: '' }),
      apiTokenReset('two'),
      settingsChanged({ site_title: 'Archive' }),
      apiTokenResealed('resealed two'),
    );
    expect(state).toStrictEqual({ values: { site_title: 'Archive', logo: '' }, sealedApiToken: 'resealed two' });
  });
});

describe('the current value', () => {
  const settings = stateAfter(siteSettingsDecider, settingsChanged({ logo: '' }));

  it.each([
    ['logo', '', 'the saved one, even if it is empty'],
    ['site_title', 'OpenList', "the factory's if none was saved"],
    ['constructor', '', 'empty if there is no such setting'],
  ])('of %j is %j: %s', (key, value) => {
    expect(settingValue(settings, key)).toBe(value);
  });
});

describe('the public settings', () => {
  const settings = stateAfter(siteSettingsDecider, settingsChanged({ site_title: 'Files', privacy_regs: 'secret' }));
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

  it('contain neither private settings nor the token', () => {
    expect(shown).not.toHaveProperty('privacy_regs');
    expect(shown).not.toHaveProperty('token');
  });
});
