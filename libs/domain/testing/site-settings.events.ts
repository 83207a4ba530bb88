import type { ApiTokenResealed, ApiTokenReset, SettingsChanged } from '../src/site-settings/site-settings.events.js';

export const settingsChanged = (values: Readonly<Record<string, string>>): SettingsChanged => ({
  type: 'SettingsChanged',
  v: 1,
  data: { values },
});

export const apiTokenReset = (token: string): ApiTokenReset => ({
  type: 'ApiTokenReset',
  v: 1,
  data: {},
  sealed: { token: `sealed ${token}` },
});

export const apiTokenResealed = (token: string): ApiTokenResealed => ({
  type: 'ApiTokenResealed',
  v: 1,
  data: {},
  sealed: { token },
});
