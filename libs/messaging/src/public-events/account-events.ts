import { z } from 'zod';
import { defineEvent, field } from './event-definition.js';

const { accountId, sessionId, username, basePath, permission, time } = field;
const stream = 'account-42';
const sampleSession = '0d9c3d7e-5b0a-4c7e-9f4e-2f6f4b8a1c55';

/** The data of an event that says nothing but which account it concerns. */
const idOnly = { data: z.object({ accountId }), sample: { stream, data: { accountId: 42 } } };

export const accountEvents = {
  'account.registered': defineEvent({
    title: 'An account was created',
    when: 'An administrator created or imported an account, or the first start created the administrator and the guest.',
    version: '1.1.0',
    data: z.object({
      accountId,
      username,
      role: z.int().describe('0: general, 1: guest, 2: administrator. More values may be added.'),
      basePath,
      permission,
      disabled: z.boolean().describe('Whether the account was created disabled; no `account.disabled` follows.'),
      importedFrom: z
        .string()
        .optional()
        .describe('The service that the account was imported from, for example `openlist`; absent if it was not.'),
    }),
    sample: {
      stream,
      data: { accountId: 42, username: 'maria', role: 0, basePath: '/team/maria', permission: 1280, disabled: false },
    },
  }),
  'account.changed': defineEvent({
    title: 'The base path or the permissions of an account changed',
    when: 'An administrator changed the base path or the permissions of an account. Changing both sends two events.',
    data: z.object({
      accountId,
      basePath: basePath.optional().describe('The new base path; absent if unchanged.'),
      permission: permission.optional().describe('The new permissions as bits; absent if unchanged.'),
    }),
    sample: { stream, data: { accountId: 42, basePath: '/team' } },
  }),
  'account.renamed': defineEvent({
    title: 'An account has a new name',
    when: 'An account was renamed, by itself or by an administrator; the former name may go to another account.',
    data: z.object({ accountId, username, formerUsername: z.string().describe('The name until now.') }),
    sample: { stream, data: { accountId: 42, username: 'maría.garcía', formerUsername: 'maria' } },
  }),
  'account.password-changed': defineEvent({
    title: 'The password of an account changed',
    when: 'A password was changed. All sessions of the account end; no `session.ended` is sent for them.',
    ...idOnly,
  }),
  'account.sessions-evicted': defineEvent({
    title: 'The sessions of an account were evicted',
    when: 'A user ended all other sessions, or an administrator all sessions of an account. No `session.ended` is sent for them.',
    data: z.object({
      accountId,
      keptSessionId: sessionId.optional().describe('The one session that continues; absent if none does.'),
    }),
    sample: { stream, data: { accountId: 42, keptSessionId: sampleSession } },
  }),
  'account.disabled': defineEvent({
    title: 'An account was disabled',
    when: 'An administrator disabled an account. Its tokens and keys are refused until it is enabled again.',
    ...idOnly,
  }),
  'account.enabled': defineEvent({
    title: 'An account was enabled',
    when: 'An administrator enabled a disabled account.',
    ...idOnly,
  }),
  'account.deleted': defineEvent({
    title: 'An account was deleted',
    when: 'An administrator deleted an account. Its keys and sessions are deleted too; no events are sent for them.',
    data: z.object({
      accountId,
      username: z.string().describe('The name of the deleted account. Another account may take it.'),
    }),
    sample: { stream, data: { accountId: 42, username: 'maria' } },
  }),
  'account.erased': defineEvent({
    title: 'A deleted account was erased',
    when: 'The operator erased a deleted account. Remove what you keep about it. `account.deleted` came before.',
    since: '0.3.0',
    data: z.object({ accountId }),
    sample: { stream: 'erasures', data: { accountId: 42 } },
  }),
  'account.two-factor-enabled': defineEvent({
    title: 'Two-factor login was turned on',
    when: 'The owner of an account turned on two-factor login; logins require a one-time code from then on.',
    ...idOnly,
  }),
  'account.two-factor-disabled': defineEvent({
    title: 'Two-factor login was turned off',
    when: "The owner, an administrator or the operator's command turned off two-factor login; the recovery codes no longer work.",
    ...idOnly,
  }),
  'account.recovery-codes-generated': defineEvent({
    title: 'An account has new recovery codes',
    when: 'The owner of an account generated recovery codes. All earlier ones no longer work.',
    ...idOnly,
  }),
  'account.recovery-code-used': defineEvent({
    title: 'A recovery code was used',
    when: 'A login was verified with the password and a recovery code. If the owner did not expect this, somebody else has both.',
    data: z.object({ accountId, left: z.int().min(0).describe('The number of recovery codes that still work.') }),
    sample: { stream, data: { accountId: 42, left: 9 } },
  }),
};

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
      stream: `session-${sampleSession}`,
      data: {
        accountId: 42,
        sessionId: sampleSession,
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
    sample: { stream: `session-${sampleSession}`, data: { accountId: 42, sessionId: sampleSession, reason: 'logout' } },
  }),
};
