import { describe, expect, it } from 'vitest';
import { PasswordPolicy } from './new-passwords.js';

describe('a password policy', () => {
  it('without rules accepts every password, even an empty one', async () => {
    for (const password of ['', 'x', 'password']) await new PasswordPolicy().assertAcceptable(password);
  });

  it('counts characters, not bytes or code units', async () => {
    const policy = new PasswordPolicy({ minLength: 8, refuseCommon: false });
    for (const password of ['', '1234567', '🗝'.repeat(7)])
      await expect(policy.assertAcceptable(password)).rejects.toMatchObject({
        code: 'password-too-short',
        details: { limit: 8 },
      });
    for (const password of ['password', '🗝'.repeat(8)]) await policy.assertAcceptable(password);
  });

  it('refuses common passwords in any letter case', async () => {
    const policy = new PasswordPolicy({ minLength: 0, refuseCommon: true });
    for (const password of ['password', 'PassWord'])
      await expect(policy.assertAcceptable(password)).rejects.toMatchObject({ code: 'password-too-common' });
    for (const password of ['', 'ostrich gravel']) await policy.assertAcceptable(password);
  });

  it('reports the length first', async () => {
    const policy = new PasswordPolicy({ minLength: 12, refuseCommon: true });
    await expect(policy.assertAcceptable('password')).rejects.toMatchObject({ code: 'password-too-short' });
  });
});
