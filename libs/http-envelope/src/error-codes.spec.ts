import { DomainError, type DomainErrorCode } from '@keyfold/domain';
import { describe, expect, it } from 'vitest';
import { errorCodes, refusalFor } from './error-codes.js';

describe('error codes', () => {
  it('map a domain error to its code and message, with the time to wait and a limit of the operator', () => {
    expect(refusalFor(new DomainError('guest-disabled'))).toMatchObject({
      code: 401,
      message: 'Guest user is disabled, login please',
      retryAfterSeconds: undefined,
    });
    const wait = { retryAfterSeconds: 300 };
    expect(refusalFor(new DomainError('too-many-attempts', wait))).toMatchObject({ code: 429, ...wait });
    const message = 'the password is too short: at least 12 characters';
    expect(refusalFor(new DomainError('password-too-short', { limit: 12 }))).toMatchObject({ code: 400, message });
  });

  it('quote a text of the request once, whatever it contains', () => {
    const quoting = (code: DomainErrorCode) => refusalFor(new DomainError(code, { quoted: '"{limit}$&\n' })).message;
    expect(quoting('search-index-unknown')).toBe(
      'failed to execute hook on search_index: not support index: "{limit}$&\n',
    );
    expect(quoting('chunk-size-invalid')).toMatch(/, got "\\"\{limit\}\$&\\n"$/);
  });

  it('do not distinguish a missing code from a wrong one, one lock from another, or a disabled account from a wrong password', () => {
    const answer = (code: DomainErrorCode) => refusalFor(new DomainError(code));
    expect(answer('one-time-code-required')).toEqual(answer('one-time-code-invalid-at-login'));
    expect(answer('one-time-code-locked')).toEqual(answer('too-many-attempts'));
    expect(answer('login-not-permitted')).toEqual(answer('invalid-credentials'));
  });

  it('use only known codes, and have a message and a condition', () => {
    for (const { code, message, when } of Object.values(errorCodes)) {
      expect([400, 401, 402, 403, 404, 428, 429, 500]).toContain(code);
      expect(message).toMatch(/./);
      expect(when).toMatch(/^[^.|]+$/);
    }
  });
});
