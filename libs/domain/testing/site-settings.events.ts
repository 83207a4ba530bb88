import type {
  StaticTokenResealed,
  StaticTokenReset,
  SecretSettingChanged,
  SecretSettingResealed,
  SettingDeleted,
  SettingsChanged,
} from '../src/site-settings/site-settings.events.js';

/** `changes` contains the old and the new value of each setting. */
export const settingsChanged = (changes: Readonly<Record<string, readonly [string, string]>>): SettingsChanged => ({
  type: 'SettingsChanged',
  v: 1,
  data: { changes: Object.fromEntries(Object.entries(changes).map(([key, [from, to]]) => [key, { from, to }])) },
});

export const secretSettingChanged = (key: string, value: string): SecretSettingChanged => ({
  type: 'SecretSettingChanged',
  v: 1,
  data: { key },
  sealed: { value },
});

export const secretSettingResealed = (key: string, value: string): SecretSettingResealed => ({
  type: 'SecretSettingResealed',
  v: 1,
  data: { key },
  sealed: { value },
});

export const settingDeleted = (key: string): SettingDeleted => ({ type: 'SettingDeleted', v: 1, data: { key } });

export const staticTokenReset = (token: string): StaticTokenReset => ({
  type: 'StaticTokenReset',
  v: 1,
  data: {},
  sealed: { token: `sealed ${token}` },
});

export const staticTokenResealed = (token: string): StaticTokenResealed => ({
  type: 'StaticTokenResealed',
  v: 1,
  data: {},
  sealed: { token },
});
