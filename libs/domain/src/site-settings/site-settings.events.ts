import type { DomainEvent, StoredEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** The old and the new value of a setting. `from` is null in events of version 1, which did not record it. */
export type SettingChange = Readonly<{ from: string | null; to: string }>;

/** An administrator changed settings that are neither secret nor unknown. `changes` contains them by key. */
export type SettingsChanged = DomainEvent<
  'SettingsChanged',
  { changes: Readonly<Record<string, SettingChange>> },
  undefined
>;

/** An administrator changed a secret setting, or one that Keyfold does not know. The event before it for the same key has the old value. */
export type SecretSettingChanged = DomainEvent<'SecretSettingChanged', { key: string }, Readonly<{ value: string }>>;

/** The same value of a secret or unknown setting was sealed with another key. */
export type SecretSettingResealed = DomainEvent<'SecretSettingResealed', { key: string }, Readonly<{ value: string }>>;

/** An administrator deleted a setting that Keyfold does not know. */
export type SettingDeleted = DomainEvent<'SettingDeleted', { key: string }, undefined>;

/** The static token of the admin was replaced. The old one stops working. */
export type ApiTokenReset = DomainEvent<'ApiTokenReset', object, Readonly<{ token: string }>>;

/** The same static token was sealed with another key. */
export type ApiTokenResealed = DomainEvent<'ApiTokenResealed', object, Readonly<{ token: string }>>;

export type SiteSettingsEvent =
  SettingsChanged | SecretSettingChanged | SecretSettingResealed | SettingDeleted | ApiTokenReset | ApiTokenResealed;

/** Version 1 has the new values only: `values` by key. */
function changesOfVersion1(event: StoredEvent): StoredEvent {
  const values = Object.entries(event.data['values'] as Record<string, string>);
  const changes = Object.fromEntries(values.map(([key, to]) => [key, { from: null, to }]));
  return { ...event, v: 2, data: { changes } };
}

export const siteSettingsUpcasters = {
  SettingsChanged: { 1: changesOfVersion1, 2: 'current' },
  SecretSettingChanged: { 1: 'current' },
  SecretSettingResealed: { 1: 'current' },
  SettingDeleted: { 1: 'current' },
  ApiTokenReset: { 1: 'current' },
  ApiTokenResealed: { 1: 'current' },
} satisfies Record<SiteSettingsEvent['type'], Upcasters[string]>;
