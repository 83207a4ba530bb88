import type { Aggregate } from '../kernel/aggregate.js';
import { siteSettingsDecider, type SiteSettings, type SiteSettingsCommand } from './site-settings.decider.js';
import { siteSettingsUpcasters, type SiteSettingsEvent } from './site-settings.events.js';

export const siteSettingsAggregate: Aggregate<'site', SiteSettings, SiteSettingsCommand, SiteSettingsEvent> = {
  name: 'site-settings',
  decider: siteSettingsDecider,
  upcasters: siteSettingsUpcasters,
  streamPrefix: 'site-settings',
  streamOf: () => 'site-settings',
  weightOf: () => 4,
};
