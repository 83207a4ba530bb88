import { z } from 'zod';
import { defineEvent } from './event-definition.js';
import { field } from './event-fields.js';

const { accountId, sessionId, time } = field;
const first = { version: '1.0.0', since: '0.1.0' };
const stream = 'session-0d9c3d7e-5b0a-4c7e-9f4e-2f6f4b8a1c55';

export const sessionEvents = {
  'session.started': defineEvent({
    ...first,
    title: 'A login succeeded',
    when: 'Somebody logged in and was given a token.',
    data: z.object({
      accountId,
      sessionId,
      factors: z.array(z.string()).describe('What was proved: `password`, `one-time-code`; others may come.'),
      address: z
        .string()
        .describe('The address that the login came from. Personal data: keep it no longer than needed.'),
      client: z.string().describe('What the client software calls itself; written by the client, so do not trust it.'),
      startedAt: time('When the login succeeded'),
      expiresAt: time('When the token expires'),
    }),
    sample: {
      stream,
      data: {
        accountId: 42,
        sessionId: '0d9c3d7e-5b0a-4c7e-9f4e-2f6f4b8a1c55',
        factors: ['password', 'one-time-code'],
        address: '2001:db8::7',
        client: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        startedAt: '2026-01-15T12:01:00.000Z',
        expiresAt: '2026-01-17T12:01:00.000Z',
      },
    },
  }),
  'session.ended': defineEvent({
    ...first,
    title: 'A session was ended',
    when: 'Somebody logged out; none is sent for sessions that expire, or that end with their account or a new password.',
    data: z.object({
      accountId,
      sessionId,
      reason: z.string().describe('`logout`; others may come.'),
    }),
    sample: {
      stream,
      data: { accountId: 42, sessionId: '0d9c3d7e-5b0a-4c7e-9f4e-2f6f4b8a1c55', reason: 'logout' },
    },
  }),
};
