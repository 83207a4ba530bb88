import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

export type SettingChange = Readonly<{ from: string; to: string }>;

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
export type StaticTokenReset = DomainEvent<'StaticTokenReset', object, Readonly<{ token: string }>>;

/** The same static token was sealed with another key. */
export type StaticTokenResealed = DomainEvent<'StaticTokenResealed', object, Readonly<{ token: string }>>;

export type SiteSettingsEvent =
  | SettingsChanged
  | SecretSettingChanged
  | SecretSettingResealed
  | SettingDeleted
  | StaticTokenReset
  | StaticTokenResealed;

export const siteSettingsUpcasters: Upcasters<SiteSettingsEvent['type']> = {
  SettingsChanged: [],
  SecretSettingChanged: [],
  SecretSettingResealed: [],
  SettingDeleted: [],
  StaticTokenReset: [],
  StaticTokenResealed: [],
};
