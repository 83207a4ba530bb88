import { TEXT_BYTES } from '@keyfold/domain';
import type { RefusalRow } from './refusal.js';

/** The refusals that concern access tokens. OpenList has none of them (wire contract 2.14). */
export const accessTokenRefusals = {
  'access-token-scope-missing': {
    code: 403,
    message: 'the access token lacks the scope {quoted}',
    when: 'the access token does not have the scope',
  },
  'access-token-not-accepted': {
    code: 403,
    message: 'access tokens are not accepted here, log in instead',
    when: 'the token is an access token',
  },
  'admin-unchangeable-by-token': {
    code: 403,
    message: 'an access token can not change an administrator, log in instead',
    when: 'the token is an access token, and the account is an administrator',
  },
  'guest-has-no-tokens': {
    code: 403,
    message: 'Guest user can not have access tokens',
    when: 'the caller is the guest',
  },
  'session-required': {
    code: 403,
    message: 'the static token can not create access tokens, log in instead',
    when: 'the caller has the static token',
  },
  'access-token-scope-of-admins': {
    code: 403,
    message: 'only administrators can give the scope {quoted}',
    when: 'a scope is for administrators, and the caller is not one',
  },
  'access-token-name-too-long': {
    code: 400,
    message: `the name is too long: at most ${TEXT_BYTES.secretName} bytes`,
    when: `the name has more than ${TEXT_BYTES.secretName} bytes as answers write it`,
  },
  'access-token-expiry-invalid': {
    code: 400,
    message: 'expires must be in the future and at most ten years away',
    when: '`expires` is in the past, or more than ten years away',
  },
  'access-token-name-taken': {
    code: 400,
    message: 'an access token with the same name already exists',
    when: 'another token of the account that has not expired has this name',
  },
  'access-token-limit-reached': {
    code: 400,
    message: 'the account has too many access tokens, revoke one first',
    when: 'the account has 100 tokens that have not expired',
  },
  'access-token-not-found': {
    code: 404,
    message: 'failed to find access token',
    when: 'no token that the caller may revoke has this id',
  },
} as const satisfies Record<string, RefusalRow>;
