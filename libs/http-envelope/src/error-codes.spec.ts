import { DomainError } from '@keyfold/domain';
import { describe, expect, it } from 'vitest';
import { errorCodes, refusalOf } from './error-codes.js';

describe('error codes', () => {
  it('answer a refusal of the domain with their row', () => {
    expect(refusalOf(new DomainError('guest-disabled'))).toMatchObject({
      code: 401,
      message: 'Guest user is disabled, login please',
      retryAfterSeconds: undefined,
    });
  });

  it('keep how long to wait', () => {
    expect(refusalOf(new DomainError('too-many-attempts', 300))).toMatchObject({ code: 429, retryAfterSeconds: 300 });
  });

  it('say where a limit lies that an operator set', () => {
    const { code, message } = refusalOf(new DomainError('password-too-short', undefined, 12));
    expect({ code, message }).toEqual({ code: 400, message: 'the password is too short: at least 12 characters' });
  });

  it('do not tell a missing code from a wrong one, nor one lock from another', () => {
    expect(errorCodes['one-time-code-required']).toEqual(errorCodes['one-time-code-invalid-at-login']);
    expect(errorCodes['one-time-code-locked']).toEqual(errorCodes['too-many-attempts']);
  });

  it('are all refusals that the envelope can carry', () => {
    for (const { code, message } of Object.values(errorCodes)) {
      expect([400, 401, 402, 403, 404, 429, 500]).toContain(code);
      expect(message).not.toBe('');
    }
  });
});
