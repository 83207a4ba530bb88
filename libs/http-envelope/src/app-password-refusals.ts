import { TEXT_BYTES } from '@keyfold/domain';
import type { RefusalRow } from './refusal.js';

/** The refusals that concern app passwords. OpenList has none of them (wire contract 2.15). */
export const appPasswordRefusals = {
  'guest-has-no-app-passwords': {
    code: 403,
    message: 'Guest user can not have app passwords',
    when: 'the caller is the guest',
  },
  'app-password-session-required': {
    code: 403,
    message: 'the static token can not manage own app passwords, log in instead',
    when: 'the caller has the static token',
  },
  'app-password-name-too-long': {
    code: 400,
    message: `the name is too long: at most ${TEXT_BYTES.secretName} bytes`,
    when: `the name has more than ${TEXT_BYTES.secretName} bytes as answers write it`,
  },
  'app-password-expiry-invalid': {
    code: 400,
    message: 'expires must be in the future and at most ten years away',
    when: '`expires` is in the past, or more than ten years away',
  },
  'app-password-name-taken': {
    code: 400,
    message: 'an app password with the same name already exists',
    when: 'another app password of the account that has not expired has this name',
  },
  'app-password-limit-reached': {
    code: 400,
    message: 'the account has too many app passwords, revoke one first',
    when: 'the account has 100 app passwords that have not expired',
  },
  'app-password-not-found': {
    code: 404,
    message: 'failed to find app password',
    when: 'no app password that the caller may revoke has this id',
  },
} as const satisfies Record<string, RefusalRow>;
