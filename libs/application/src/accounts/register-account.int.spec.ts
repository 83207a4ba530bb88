import { DomainError } from '@keyfold/domain';
import { expect, it } from 'vitest';
import { accountState, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { AccountIds, RegisterAccountCommand, RegisterAccountHandler } from './manage-accounts.js';
import { NewPasswords, PasswordPolicy } from './new-passwords.js';

const rest = { role: 0, disabled: false, basePath: '/', permission: 0, ssoId: '', allowLdap: true };

/** Starts a service that requires passwords of twelve characters. `checked` collects every password that its policy checks. */
async function startWithPolicy() {
  const service = new EmbeddedService();
  await registerAccount(service, 1, 'admin', { role: 2 });
  const caller = { account: await accountState(service, 1), by: 'session' } as const;
  const checked: string[] = [];
  const policy = new PasswordPolicy({ minLength: 12, refuseCommon: false });
  const check = policy.assertAcceptable.bind(policy);
  policy.assertAcceptable = (password) => (checked.push(password), check(password));
  const passwords = new NewPasswords(service.hasher, service.sealer, service.clock, policy);
  const ids = new AccountIds(service.counter, 1);
  const handler = new RegisterAccountHandler(service.runner, service.names, ids, passwords);
  const register = (username: string, password: string) =>
    handler.execute(new RegisterAccountCommand(caller, { ...rest, username, password }, { correlation: 'request-1' }));
  return { service, checked, register };
}

it('registering an account checks its password exactly once', async () => {
  const { service, checked, register } = await startWithPolicy();
  await register('ann', 'ostrich gravel');
  expect(checked).toEqual(['ostrich gravel']);
  expect((await accountState(service, 3)).username).toBe('ann');
});

it('a refused password does not use up an account id', async () => {
  const { service, register } = await startWithPolicy();
  await expect(register('ann', 'short')).rejects.toEqual(new DomainError('password-too-short', { limit: 12 }));
  await register('ann', 'ostrich gravel');
  expect((await accountState(service, 3)).username).toBe('ann');
});
