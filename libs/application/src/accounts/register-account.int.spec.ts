import { DomainError } from '@keyfold/domain';
import { describe, expect, it } from 'vitest';
import { accountState, registerAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { AccountIds, RegisterAccountCommand, RegisterAccountHandler } from './manage-accounts.js';
import { NewPasswords, PasswordPolicy } from './new-passwords.js';

const rest = { role: 0, disabled: false, basePath: '/', permission: 0, ssoId: '', allowLdap: true };

it('registering an account checks its password exactly once, and a refused one does not use up an account id', async () => {
  const service = new EmbeddedService();
  await registerAccount(service, 1, 'admin', { role: 2 });
  const caller = { account: await accountState(service, 1), accountVersion: 1, by: 'session' } as const;
  const checked: string[] = [];
  const policy = new PasswordPolicy({ minLength: 12, refuseCommon: false });
  const check = policy.assertAcceptable.bind(policy);
  policy.assertAcceptable = (password) => (checked.push(password), check(password));
  const passwords = new NewPasswords(service.hasher, service.sealer, service.clock, policy);
  const ids = new AccountIds(service.counter, 1);
  const handler = new RegisterAccountHandler(service.runner, service.names, ids, passwords);
  const register = (password: string) =>
    handler.execute(
      new RegisterAccountCommand(caller, { ...rest, username: 'ann', password }, { correlation: 'request-1' }),
    );
  await expect(register('short')).rejects.toEqual(new DomainError('password-too-short', { limit: 12 }));
  await register('ostrich gravel');
  expect(checked).toEqual(['short', 'ostrich gravel']);
  expect((await accountState(service, 3)).username).toBe('ann');
});

it('registering an account skips ids that an import has taken', async () => {
  const service = new EmbeddedService();
  await registerAccount(service, 1, 'admin', { role: 2 });
  const caller = { account: await accountState(service, 1), accountVersion: 1, by: 'session' } as const;
  const ids = new AccountIds(service.counter, 10);
  const handler = new RegisterAccountHandler(service.runner, service.names, ids, service.passwords);
  const register = (username: string) =>
    handler.execute(
      new RegisterAccountCommand(caller, { ...rest, username, password: '' }, { correlation: 'request' }),
    );
  await register('ann');
  await registerAccount(service, 4, 'imported');
  await register('bea');
  expect((await accountState(service, 13)).username).toBe('bea');
});

describe('account ids', () => {
  it('start after the admin and the guest and have no gaps if taken one by one', async () => {
    const ids = new AccountIds(new EmbeddedService().counter, 1);
    expect([await ids.next(), await ids.next(), await ids.next()]).toEqual([3, 4, 5]);
  });

  it.each([1, 10])('are unique across gateways that concurrently take blocks of %i', async (blockSize) => {
    const { counter } = new EmbeddedService();
    const gateways = [new AccountIds(counter, blockSize), new AccountIds(counter, blockSize)];
    const taken = await Promise.all(Array.from({ length: 100 }, (_, n) => gateways[n % 2]!.next()));
    expect(new Set(taken).size).toBe(100);
    expect(Math.min(...taken)).toBe(3);
  });
});
