import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** Values that an administrator saved, by key; keys that are not there keep their value. */
export type SettingsChanged = DomainEvent<'SettingsChanged', { values: Readonly<Record<string, string>> }, undefined>;
/** The static token of the administrator was made anew; the old one stops working. */
export type ApiTokenReset = DomainEvent<'ApiTokenReset', object, Readonly<{ token: string }>>;
/** The same static token, sealed with another key. */
export type ApiTokenResealed = DomainEvent<'ApiTokenResealed', object, Readonly<{ token: string }>>;

export type SiteSettingsEvent = SettingsChanged | ApiTokenReset | ApiTokenResealed;

export const siteSettingsUpcasters = {
  SettingsChanged: { 1: 'current' },
  ApiTokenReset: { 1: 'current' },
  ApiTokenResealed: { 1: 'current' },
} satisfies Record<SiteSettingsEvent['type'], Upcasters[string]>;
