import { z } from 'zod';
import { defineEvent } from './event-definition.js';
import { field } from './event-fields.js';

const { accountId, sessionId, time } = field;
const stream = 'session-0d9c3d7e-5b0a-4c7e-9f4e-2f6f4b8a1c55';

export const sessionEvents = {
  'session.started': defineEvent({
    title: 'A login succeeded',
    when: 'A user logged in and received a token.',
    data: z.object({
      accountId,
      sessionId,
      factors: z
        .array(z.string())
        .describe('The verified factors: `password`, `one-time-code`, `recovery-code`. More values may be added.'),
      address: z
        .string()
        .describe('The IP address of the client. This is personal data: delete it when you no longer need it.'),
      client: z.string().describe('The user agent of the client. The client chooses it, so do not trust it.'),
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
    title: 'A session ended',
    when: 'A user logged out, or a user or an administrator evicted this one session. Not sent if a session expires or ends with its account or all others.',
    data: z.object({
      accountId,
      sessionId,
      reason: z.string().describe('The reason: `logout`, `evicted`. More values may be added.'),
    }),
    sample: {
      stream,
      data: { accountId: 42, sessionId: '0d9c3d7e-5b0a-4c7e-9f4e-2f6f4b8a1c55', reason: 'logout' },
    },
  }),
};
