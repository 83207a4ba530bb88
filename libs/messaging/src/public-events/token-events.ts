import { z } from 'zod';
import { defineEvent, field } from './event-definition.js';

const { accountId, time } = field;
const tokenId = z.int().min(1).describe('The id of the access token; never used again.');
const appPasswordId = z.int().min(1).describe('The id of the app password; never used again.');
const sampleTimes = { createdAt: '2026-01-15T12:00:00.000Z', expiresAt: '2027-01-15T12:00:00.000Z' };

/** The times of an access token or an app password. */
const times = (what: string) => ({
  createdAt: time(`When the ${what} was created`),
  expiresAt: time(`When the ${what} expires`)
    .optional()
    .describe(`When the ${what} expires, ISO 8601 in UTC; absent if never.`),
});

export const accessTokenEvents = {
  'access-token.created': defineEvent({
    title: 'An access token was created',
    when: 'The owner of an account created an access token. If the owner did not expect this, somebody else has a session of the account.',
    data: z.object({
      accountId,
      tokenId,
      name: z.string().describe('The name that the owner gave the token.'),
      scopes: z
        .array(z.string())
        .describe('What the token may be used for, such as `profile:read`. More values may be added.'),
      ...times('token'),
    }),
    sample: {
      stream: 'access-tokens-42',
      data: {
        accountId: 42,
        tokenId: 44040193,
        name: 'backup',
        scopes: ['profile:read', 'keys:manage'],
        ...sampleTimes,
      },
    },
  }),
  'access-token.revoked': defineEvent({
    title: 'An access token was revoked',
    when: 'The owner, an administrator or the operator revoked an access token. Not sent if a token expires or ends with its account.',
    data: z.object({ accountId, tokenId }),
    sample: { stream: 'access-tokens-42', data: { accountId: 42, tokenId: 44040193 } },
  }),
};

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
      ...times('app password'),
    }),
    sample: {
      stream: 'app-passwords-42',
      data: { accountId: 42, appPasswordId: 44040193, name: 'phone', protocol: 'webdav', ...sampleTimes },
    },
  }),
  'app-password.revoked': defineEvent({
    title: 'An app password was revoked',
    when: 'The owner, an administrator or the operator revoked an app password. Not sent if one expires or ends with its account.',
    data: z.object({ accountId, appPasswordId }),
    sample: { stream: 'app-passwords-42', data: { accountId: 42, appPasswordId: 44040193 } },
  }),
};
