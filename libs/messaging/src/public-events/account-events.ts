import { z } from 'zod';
import { defineEvent } from './event-definition.js';
import { field } from './event-fields.js';

const { accountId, sessionId, username, basePath, permission } = field;
const account = z.object({ accountId });
const stream = 'account-42';

export const accountEvents = {
  'account.registered': defineEvent({
    title: 'An account was created',
    when: 'An administrator created an account, or the first start created the administrator and the guest.',
    data: z.object({
      accountId,
      username,
      role: z.int().describe('0: general, 1: guest, 2: administrator. More values may be added.'),
      basePath,
      permission,
      disabled: z.boolean().describe('Whether the account was created disabled; no `account.disabled` follows.'),
    }),
    sample: {
      stream,
      data: {
        accountId: 42,
        username: 'maria',
        role: 0,
        basePath: '/team/maria',
        permission: 1280,
        disabled: false,
      },
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
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
  'account.sessions-evicted': defineEvent({
    title: 'The sessions of an account were evicted',
    when: 'A user ended all other sessions, or an administrator all sessions of an account. No `session.ended` is sent for them.',
    data: z.object({
      accountId,
      keptSessionId: sessionId.optional().describe('The one session that continues; absent if none does.'),
    }),
    sample: { stream, data: { accountId: 42, keptSessionId: '0d9c3d7e-5b0a-4c7e-9f4e-2f6f4b8a1c55' } },
  }),
  'account.disabled': defineEvent({
    title: 'An account was disabled',
    when: 'An administrator disabled an account. Its tokens and keys are refused until it is enabled again.',
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
  'account.enabled': defineEvent({
    title: 'An account was enabled',
    when: 'An administrator enabled a disabled account.',
    data: account,
    sample: { stream, data: { accountId: 42 } },
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
  'account.two-factor-enabled': defineEvent({
    title: 'Two-factor login was turned on',
    when: 'The owner of an account turned on two-factor login; logins require a one-time code from then on.',
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
  'account.two-factor-disabled': defineEvent({
    title: 'Two-factor login was turned off',
    when: "The owner, an administrator or the operator's command turned off two-factor login; the recovery codes no longer work.",
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
  'account.recovery-codes-generated': defineEvent({
    title: 'An account has new recovery codes',
    when: 'The owner of an account generated recovery codes. All earlier ones no longer work.',
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
  'account.recovery-code-used': defineEvent({
    title: 'A recovery code was used',
    when: 'A login was verified with the password and a recovery code. If the owner did not expect this, somebody else has both.',
    data: z.object({ accountId, left: z.int().min(0).describe('The number of recovery codes that still work.') }),
    sample: { stream, data: { accountId: 42, left: 9 } },
  }),
};
