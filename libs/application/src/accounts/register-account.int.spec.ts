import { DomainError } from '@keyfold/domain';
import { expect, it } from 'vitest';
import { accountState, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { AccountIds } from './account-ids.js';
import { NewPasswords } from './new-passwords.js';
import { PasswordPolicy } from './password-policy.js';
import { RegisterAccount, RegisterAccountHandler } from './register-account.js';

const rest = { role: 0, disabled: false, basePath: '/', permission: 0, ssoId: '', allowLdap: true };

/** An administrator at work where passwords need twelve characters; `judged` are those that the policy was asked about. */
async function administration() {
  const service = new EmbeddedService();
  await registerAccount(service, 1, 'admin', { role: 2 });
  const caller = { account: await accountState(service, 1), by: 'session' } as const;
  const judged: string[] = [];
  const policy = new PasswordPolicy({ minLength: 12, refuseCommon: false });
  const require = policy.require.bind(policy);
  policy.require = (password) => (judged.push(password), require(password));
  const passwords = new NewPasswords(service.hasher, service.sealer, service.clock, policy);
  const ids = new AccountIds(service.counter, 1);
  const handler = new RegisterAccountHandler(service.commands, service.names, ids, passwords);
  const register = (username: string, password: string) =>
    handler.execute(new RegisterAccount(caller, { ...rest, username, password }, { correlation: 'request-1' }));
  return { service, judged, register };
}

it('the policy judges the password of a new account once', async () => {
  const { service, judged, register } = await administration();
  await register('ann', 'ostrich gravel');
  expect(judged).toEqual(['ostrich gravel']);
  expect((await accountState(service, 3)).username).toBe('ann');
});

it('a password that the policy refuses costs no account id', async () => {
  const { service, register } = await administration();
  await expect(register('ann', 'short')).rejects.toEqual(new DomainError('password-too-short', undefined, 12));
  await register('ann', 'ostrich gravel');
  expect((await accountState(service, 3)).username).toBe('ann');
});
