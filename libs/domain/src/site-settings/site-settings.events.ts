import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/** An administrator changed settings. `values` contains the changed ones by key. */
export type SettingsChanged = DomainEvent<'SettingsChanged', { values: Readonly<Record<string, string>> }, undefined>;
/** The static token of the admin was replaced. The old one stops working. */
export type ApiTokenReset = DomainEvent<'ApiTokenReset', object, Readonly<{ token: string }>>;
/** The same static token was sealed with another key. */
export type ApiTokenResealed = DomainEvent<'ApiTokenResealed', object, Readonly<{ token: string }>>;

export type SiteSettingsEvent = SettingsChanged | ApiTokenReset | ApiTokenResealed;

export const siteSettingsUpcasters = {
  SettingsChanged: { 1: 'current' },
  ApiTokenReset: { 1: 'current' },
  ApiTokenResealed: { 1: 'current' },
} satisfies Record<SiteSettingsEvent['type'], Upcasters[string]>;
