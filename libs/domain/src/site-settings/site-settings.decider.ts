import type { Decider, Decision } from '../kernel/decider.js';
import { DomainError } from '../kernel/domain-error.js';
import type { ResealSecrets } from '../kernel/reseal-secrets.js';
import { factorySettings } from './factory-settings.js';
import type { SiteSettingsEvent } from './site-settings.events.js';

/** The values that differ from the factory settings, and the sealed static token (empty before the first start). */
export type SiteSettings = Readonly<{ values: Readonly<Record<string, string>>; sealedApiToken: string }>;

/** Changes the values of some settings, by key. The other settings keep theirs. */
export type ChangeSettings = Readonly<{ type: 'ChangeSettings'; values: Readonly<Record<string, string>> }>;
/** Replaces the static token by a new sealed one, with immediate effect. */
export type ResetApiToken = Readonly<{ type: 'ResetApiToken'; sealedToken: string }>;
export type SiteSettingsCommand = ChangeSettings | ResetApiToken | ResealSecrets;

/** Decides on all settings. An unknown key refuses the whole change with `setting-not-found`. Unchanged values are omitted. */
export const siteSettingsDecider: Decider<SiteSettings, SiteSettingsCommand, SiteSettingsEvent> = {
  initialState: { values: {}, sealedApiToken: '' },
  decide,
  evolve,
};

function decide(settings: SiteSettings, command: SiteSettingsCommand): Decision<SiteSettingsEvent> {
  switch (command.type) {
    case 'ChangeSettings':
      return change(settings, command);
    case 'ResetApiToken':
      return { events: [{ type: 'ApiTokenReset', v: 1, data: {}, sealed: { token: command.sealedToken } }] };
    case 'ResealSecrets': {
      const token = command.resealed.get(settings.sealedApiToken);
      return {
        events: token === undefined ? [] : [{ type: 'ApiTokenResealed', v: 1, data: {}, sealed: { token } }],
      };
    }
  }
}

function change(settings: SiteSettings, { values }: ChangeSettings): Decision<SiteSettingsEvent> {
  const unknown = Object.keys(values).find((key) => !factorySettings.some((setting) => setting.key === key));
  if (unknown !== undefined) throw new DomainError('setting-not-found');
  const changed = Object.entries(values).filter(([key, value]) => settingValue(settings, key) !== value);
  if (changed.length === 0) return { events: [] };
  return { events: [{ type: 'SettingsChanged', v: 1, data: { values: Object.fromEntries(changed) } }] };
}

function evolve(settings: SiteSettings, event: SiteSettingsEvent): SiteSettings {
  switch (event.type) {
    case 'SettingsChanged':
      return { ...settings, values: { ...settings.values, ...event.data.values } };
    case 'ApiTokenReset':
    case 'ApiTokenResealed':
      return { ...settings, sealedApiToken: event.sealed.token };
  }
}

/** Returns the current value of a setting: the saved one, else the factory's, else an empty text. */
export function settingValue(settings: SiteSettings, key: string): string {
  if (Object.hasOwn(settings.values, key)) return settings.values[key]!;
  return factorySettings.find((setting) => setting.key === key)?.value ?? '';
}

/** Returns the settings that everyone may read, by key in byte order (wire contract 4). */
export function publicSettings(settings: SiteSettings, version: string): Record<string, string> {
  const shown = factorySettings
    .filter((setting) => setting.public)
    .map(({ key }) => [key, settingValue(settings, key)]);
  shown.push(['version', version]);
  return Object.fromEntries(shown.toSorted(([a], [b]) => (a! < b! ? -1 : 1))) as Record<string, string>;
}
