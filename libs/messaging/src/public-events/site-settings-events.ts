import { z } from 'zod';
import { defineEvent } from './event-definition.js';

export const siteSettingsEvents = {
  'site-settings.changed': defineEvent({
    title: 'Settings of the site changed',
    when: 'An administrator saved or deleted settings, or reset the static token of the administrator (key `token`).',
    data: z.object({
      keys: z.array(z.string()).describe('The names of the settings. Values are left out, since they may be secret.'),
    }),
    sample: { stream: 'site-settings', data: { keys: ['site_title', 'announcement'] } },
  }),
};
