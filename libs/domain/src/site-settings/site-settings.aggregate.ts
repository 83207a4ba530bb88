import type { Aggregate } from '../kernel/aggregate.js';
import type { SiteSettingsCommand } from './site-settings.commands.js';
import { siteSettingsDecider } from './site-settings.decider.js';
import { siteSettingsUpcasters, type SiteSettingsEvent } from './site-settings.events.js';
import type { SiteSettings } from './site-settings.state.js';

export const siteSettingsAggregate: Aggregate<'site', SiteSettings, SiteSettingsCommand, SiteSettingsEvent> = {
  name: 'site-settings',
  decider: siteSettingsDecider,
  upcasters: siteSettingsUpcasters,
  streamPrefix: 'site-settings',
  streamOf: () => 'site-settings',
};
