import { z } from 'zod';
import { defineEvent } from './event-definition.js';
import { field } from './event-fields.js';

const { accountId, username, basePath, permission } = field;
const account = z.object({ accountId });
const stream = 'account-42';
const first = { version: '1.0.0', since: '0.1.0' };

export const accountEvents = {
  'account.registered': defineEvent({
    ...first,
    version: '1.0.1',
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
    ...first,
    title: 'The base path or the rights of an account changed',
    when: 'An administrator changed the base path or the rights; one change of both sends two of these.',
    data: z.object({
      accountId,
      basePath: basePath.optional().describe('The new base path; absent when it stayed.'),
      permission: permission.optional().describe('The new rights as bits; absent when they stayed.'),
    }),
    sample: { stream, data: { accountId: 42, basePath: '/team' } },
  }),
  'account.renamed': defineEvent({
    ...first,
    version: '1.0.1',
    title: 'An account has a new name',
    when: 'An account was renamed, by itself or by an administrator; the former name may go to another account.',
    data: z.object({ accountId, username, formerUsername: z.string().describe('The name until now.') }),
    sample: { stream, data: { accountId: 42, username: 'maría.garcía', formerUsername: 'maria' } },
  }),
  'account.password-changed': defineEvent({
    ...first,
    title: 'An account has a new password',
    when: 'A password was changed; all sessions of the account end with it, without a `session.ended` for each.',
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
  'account.disabled': defineEvent({
    ...first,
    title: 'An account was disabled',
    when: 'An administrator disabled an account: its tokens and keys are refused until it is enabled.',
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
  'account.enabled': defineEvent({
    ...first,
    title: 'An account was enabled',
    when: 'An administrator enabled an account that was disabled.',
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
  'account.deleted': defineEvent({
    ...first,
    title: 'An account was deleted',
    when: 'An administrator deleted an account; its keys and sessions are gone too, without an event for each.',
    data: z.object({ accountId, username: z.string().describe('The name that the account had; it is free again.') }),
    sample: { stream, data: { accountId: 42, username: 'maria' } },
  }),
  'account.two-factor-enabled': defineEvent({
    ...first,
    version: '1.0.1',
    title: 'Two-factor login was turned on',
    when: 'The owner of an account turned on two-factor login; logins require a one-time code from then on.',
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
  'account.two-factor-disabled': defineEvent({
    ...first,
    version: '1.0.1',
    title: 'Two-factor login was turned off',
    when: "An administrator or the operator's command turned off two-factor login for an account.",
    data: account,
    sample: { stream, data: { accountId: 42 } },
  }),
};
