import { absentAccount, type Account } from '@keyfold/domain';
import { expect, it } from 'vitest';
import { RememberedLogins } from './remembered-logins.js';

const login = { username: 'ann', password: 'secret', address: '192.0.2.7' };
const account: Account = { ...absentAccount, status: 'active', accountId: 7, username: 'ann', sealedPasswordHash: 'h' };
let now = 1_000;
const remembered = () => {
  const logins = new RememberedLogins(() => now);
  logins.add(login, account);
  return logins;
};

it('a checked password is remembered for a minute', () => {
  const logins = remembered();
  now += 59_999;
  expect(logins.accountOf(login)).toBe(7);
  now += 2;
  expect(logins.accountOf(login)).toBeUndefined();
});

it('another password, the same letters divided otherwise, or a login from another address, is not', () => {
  const logins = remembered();
  expect(logins.accountOf({ ...login, password: 'Secret' })).toBeUndefined();
  expect(logins.accountOf({ ...login, username: 'anns', password: 'ecret' })).toBeUndefined();
  expect(logins.accountOf({ ...login, address: '192.0.2.8' })).toBeUndefined();
});

it.each([
  { sealedPasswordHash: 'other' },
  { generation: 1 },
  { disabled: true },
  { permission: 1 },
  { username: 'anna' },
  { status: 'deleted' as const },
  { twoFactor: { enrolment: 1, sealedSecret: 's', locked: false, recoveryCodes: null } },
])('it holds only while the account is as it was checked: not after %j', (change) => {
  const logins = remembered();
  const renewed: Account = { ...account, ssoId: 'other' };
  expect(logins.holds(login, renewed)).toBe(true);
  expect(logins.holds(login, { ...account, ...change })).toBe(false);
  expect(logins.accountOf(login)).toBeUndefined();
});
