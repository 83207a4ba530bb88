import { describe, expect, it } from 'vitest';
import { given, stateAfter } from '../../testing/decider-specification.js';
import { secretSettingChanged, settingDeleted, settingsChanged } from '../../testing/site-settings.events.js';
import { siteSettingsDecider } from './site-settings.decider.js';

describe('a setting that another version knows differently', () => {
  const sealedBefore = [secretSettingChanged('home_icon', 'sealed'), secretSettingChanged('kept', 'sealed')];

  it('has one value after it is saved, even if the plain one is the default', () => {
    given(siteSettingsDecider, ...sealedBefore)
      .when({ type: 'ChangeSettings', values: [['home_icon', '🏠']], sealedValues: {} })
      .thenEvents(settingsChanged({ home_icon: ['🏠', '🏠'] }));
    expect(
      stateAfter(siteSettingsDecider, ...sealedBefore, settingsChanged({ home_icon: ['🏠', '🏠'] })),
    ).toMatchObject({ values: { home_icon: '🏠' }, sealedValues: { kept: 'sealed' } });
  });

  it('has only the sealed value after it is saved as a secret', () => {
    const state = stateAfter(
      siteSettingsDecider,
      settingsChanged({ known_before: ['', 'plain'], site_title: ['OpenList', 'Files'] }),
      secretSettingChanged('known_before', 'sealed'),
    );
    expect(state).toMatchObject({ values: { site_title: 'Files' }, sealedValues: { known_before: 'sealed' } });
    expect(state.values).not.toHaveProperty('known_before');
  });

  it('can be deleted if it is no longer known', () => {
    const plain = settingsChanged({ known_before: ['', 'plain'] });
    given(siteSettingsDecider, plain)
      .when({ type: 'DeleteSetting', key: 'known_before' })
      .thenEvents(settingDeleted('known_before'));
    expect(stateAfter(siteSettingsDecider, plain, settingDeleted('known_before')).values).toEqual({});
  });
});
