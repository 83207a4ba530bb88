import { z } from 'zod';
import { defineEvent } from './event-definition.js';

export const siteSettingsEvents = {
  'site-settings.changed': defineEvent({
    version: '1.0.0',
    since: '0.1.0',
    title: 'Settings of the site changed',
    when: "An administrator saved settings, or the administrator's static token was made anew (key `token`).",
    data: z.object({
      keys: z.array(z.string()).describe('The names of the settings that were written; their values may be secrets.'),
    }),
    sample: { stream: 'site-settings', data: { keys: ['site_title', 'announcement'] } },
  }),
};
