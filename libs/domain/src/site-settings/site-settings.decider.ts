import type { Aggregate } from '../kernel/aggregate.js';
import type { Decider, Decision } from '../kernel/decider.js';
import { DomainError } from '../kernel/domain-error.js';
import type { ResealSecrets } from '../kernel/reseal-secrets.js';
import { factorySetting, isSealedSetting, settingFlag } from './factory-settings.js';
import { normalSettingValue } from './setting-rules.js';
import type { ChangeSettings, DeleteSetting, NewSecret, SiteSettingsCommand } from './site-settings.commands.js';
import { siteSettingsUpcasters, type SettingChange, type SiteSettingsEvent } from './site-settings.events.js';
import {
  bytesOfSettings,
  deprecatedKeys,
  sealedSettingValue,
  SETTINGS_BYTES,
  settingValue,
  type SiteSettings,
} from './site-settings.state.js';

/** Decides on all settings. A value that is not allowed refuses the whole change. Unchanged values are omitted. */
export const siteSettingsDecider: Decider<SiteSettings, SiteSettingsCommand, SiteSettingsEvent> = {
  initialState: { values: {}, sealedValues: {}, sealedStaticToken: '' },
  decide,
  evolve,
};

export const siteSettingsAggregate: Aggregate<'site', SiteSettings, SiteSettingsCommand, SiteSettingsEvent> = {
  name: 'site-settings',
  decider: siteSettingsDecider,
  upcasters: siteSettingsUpcasters,
  streamPrefix: 'site-settings',
  streamOf: () => 'site-settings',
};

function decide(settings: SiteSettings, command: SiteSettingsCommand): Decision<SiteSettingsEvent> {
  switch (command.type) {
    case 'ChangeSettings':
      return { events: change(settings, command) };
    case 'DeleteSetting':
      return { events: deletion(settings, command) };
    case 'ResetStaticToken':
      return { events: [staticTokenReset(command.sealedToken)] };
    case 'ResealSecrets':
      return { events: resealing(settings, command) };
  }
}

function change(
  settings: SiteSettings,
  { values, sealedValues, sealedStaticToken }: ChangeSettings,
): readonly SiteSettingsEvent[] {
  const changes = changesOf(settings, values);
  const secrets = Object.entries(sealedValues).filter(([key, secret]) =>
    differs(secret, sealedSettingValue(settings, key)),
  );
  const changesToken = sealedStaticToken && differs(sealedStaticToken, settings.sealedStaticToken);
  const events: SiteSettingsEvent[] = [
    ...(Object.keys(changes).length > 0 ? [{ type: 'SettingsChanged', v: 1, data: { changes } } as const] : []),
    ...secrets.map(([key, { sealed }]) => secretChanged(key, sealed)),
    ...(changesToken ? [staticTokenReset(sealedStaticToken.sealed)] : []),
  ];
  requireRoom(settings, events);
  return events;
}

/** Returns the normalised values that differ from the current ones. Nobody can change a read-only setting, so it is left out. */
function changesOf(settings: SiteSettings, values: ChangeSettings['values']): Record<string, SettingChange> {
  const wanted = new Map<string, string>();
  for (const [key, value] of values) {
    if (isSealedSetting(key)) throw new Error(`the value of ${key} must be sealed`);
    if (factorySetting(key)?.flag !== settingFlag.readOnly) wanted.set(key, normalSettingValue(key, value));
  }
  const changes = [...wanted].map(([key, to]) => [key, { from: settingValue(settings, key), to }] as const);
  const isSealed = (key: string) => sealedSettingValue(settings, key) !== undefined;
  return Object.fromEntries(changes.filter(([key, { from, to }]) => from !== to || isSealed(key)));
}

const differs = ({ sameAs }: NewSecret, stored = '') => sameAs !== stored;

const secretChanged = (key: string, value: string): SiteSettingsEvent => ({
  type: 'SecretSettingChanged',
  v: 1,
  data: { key },
  sealed: { value },
});

const staticTokenReset = (token: string): SiteSettingsEvent => ({
  type: 'StaticTokenReset',
  v: 1,
  data: {},
  sealed: { token },
});

/** Throws `settings-too-large` if the events would let the settings grow beyond their limit. */
function requireRoom(settings: SiteSettings, events: readonly SiteSettingsEvent[]): void {
  const bytes = bytesOfSettings(events.reduce(evolve, settings));
  if (bytes > SETTINGS_BYTES && bytes > bytesOfSettings(settings)) throw new DomainError('settings-too-large');
}

function deletion(settings: SiteSettings, { key }: DeleteSetting): readonly SiteSettingsEvent[] {
  if (factorySetting(key)) throw new DomainError('setting-not-deprecated', { quoted: key });
  if (!deprecatedKeys(settings).includes(key)) throw new DomainError('deleted-setting-not-found');
  return [{ type: 'SettingDeleted', v: 1, data: { key } }];
}

function resealing(
  { sealedStaticToken, sealedValues }: SiteSettings,
  { resealed }: ResealSecrets,
): SiteSettingsEvent[] {
  const events: SiteSettingsEvent[] = [];
  const token = resealed.get(sealedStaticToken);
  if (token !== undefined) events.push({ type: 'StaticTokenResealed', v: 1, data: {}, sealed: { token } });
  for (const [key, sealed] of Object.entries(sealedValues)) {
    const value = resealed.get(sealed);
    if (value !== undefined) events.push({ type: 'SecretSettingResealed', v: 1, data: { key }, sealed: { value } });
  }
  return events;
}

function evolve(settings: SiteSettings, event: SiteSettingsEvent): SiteSettings {
  switch (event.type) {
    case 'SettingsChanged': {
      const changed = Object.entries(event.data.changes).map(([key, { to }]) => [key, to] as const);
      const { values, sealedValues } = without(settings, Object.keys(event.data.changes));
      return { ...settings, values: { ...values, ...Object.fromEntries(changed) }, sealedValues };
    }
    case 'SecretSettingChanged':
    case 'SecretSettingResealed': {
      const { values, sealedValues } = without(settings, [event.data.key]);
      return { ...settings, values, sealedValues: { ...sealedValues, [event.data.key]: event.sealed.value } };
    }
    case 'SettingDeleted':
      return without(settings, [event.data.key]);
    case 'StaticTokenReset':
    case 'StaticTokenResealed':
      return { ...settings, sealedStaticToken: event.sealed.token };
  }
}

/** Removes the saved values of settings. A key can have a plain and a sealed one if a version knows it and another one does not. */
function without(settings: SiteSettings, keys: readonly string[]): SiteSettings {
  const rest = (values: SiteSettings['values']) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)));
  return { ...settings, values: rest(settings.values), sealedValues: rest(settings.sealedValues) };
}
