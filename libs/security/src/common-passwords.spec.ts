import { expect, it } from 'vitest';
import { isCommonPassword } from './common-passwords.js';

it.each(['password', 'Password1', '123456', 'QWERTYUIOP', 'letmein'])('%s is a common password', async (password) => {
  expect(await isCommonPassword(password)).toBe(true);
});

it.each(['', 'ostrich gravel mandolin', 'password of the third floor', 'Xq7-vvR2-mn0P'])(
  '%j is not a common password',
  async (password) => {
    expect(await isCommonPassword(password)).toBe(false);
  },
);
