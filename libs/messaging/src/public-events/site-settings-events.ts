import { z } from 'zod';
import { defineEvent } from './event-definition.js';

export const siteSettingsEvents = {
  'site-settings.changed': defineEvent({
    version: '1.0.1',
    since: '0.1.0',
    title: 'Settings of the site changed',
    when: 'An administrator saved settings or reset the static token of the administrator (key `token`).',
    data: z.object({
      keys: z
        .array(z.string())
        .describe('The names of the saved settings. Values are left out, since they may be secret.'),
    }),
    sample: { stream: 'site-settings', data: { keys: ['site_title', 'announcement'] } },
  }),
};
