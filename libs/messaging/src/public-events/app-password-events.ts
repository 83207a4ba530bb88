import { z } from 'zod';
import { defineEvent } from './event-definition.js';
import { field } from './event-fields.js';

const { accountId, time } = field;
const appPasswordId = z.int().min(1).describe('The id of the app password; never used again.');
const stream = 'app-passwords-42';

export const appPasswordEvents = {
  'app-password.created': defineEvent({
    title: 'An app password was created',
    when: 'The owner of an account created an app password. If the owner did not expect this, somebody else has a session of the account.',
    data: z.object({
      accountId,
      appPasswordId,
      name: z.string().describe('The name that the owner gave the app password.'),
      protocol: z
        .string()
        .describe('The protocol that it opens: `sftp`, `webdav`, `ftp`, or `any` of them. More values may be added.'),
      createdAt: time('When the app password was created'),
      expiresAt: time('When the app password expires')
        .optional()
        .describe('When the app password expires, ISO 8601 in UTC; absent if never.'),
    }),
    sample: {
      stream,
      data: {
        accountId: 42,
        appPasswordId: 44040193,
        name: 'phone',
        protocol: 'webdav',
        createdAt: '2026-01-15T12:00:00.000Z',
        expiresAt: '2027-01-15T12:00:00.000Z',
      },
    },
  }),
  'app-password.revoked': defineEvent({
    title: 'An app password was revoked',
    when: 'The owner, an administrator or the operator revoked an app password. Not sent if one expires or ends with its account.',
    data: z.object({ accountId, appPasswordId }),
    sample: { stream, data: { accountId: 42, appPasswordId: 44040193 } },
  }),
};
