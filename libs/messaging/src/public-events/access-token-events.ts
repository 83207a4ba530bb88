import { z } from 'zod';
import { defineEvent } from './event-definition.js';
import { field } from './event-fields.js';

const { accountId, time } = field;
const tokenId = z.int().min(1).describe('The id of the access token; never used again.');
const stream = 'access-tokens-42';

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
      createdAt: time('When the token was created'),
      expiresAt: time('When the token expires')
        .optional()
        .describe('When the token expires, ISO 8601 in UTC; absent if never.'),
    }),
    sample: {
      stream,
      data: {
        accountId: 42,
        tokenId: 44040193,
        name: 'backup',
        scopes: ['profile:read', 'keys:manage'],
        createdAt: '2026-01-15T12:00:00.000Z',
        expiresAt: '2027-01-15T12:00:00.000Z',
      },
    },
  }),
  'access-token.revoked': defineEvent({
    title: 'An access token was revoked',
    when: 'The owner, an administrator or the operator revoked an access token. Not sent if a token expires or ends with its account.',
    data: z.object({ accountId, tokenId }),
    sample: { stream, data: { accountId: 42, tokenId: 44040193 } },
  }),
};
