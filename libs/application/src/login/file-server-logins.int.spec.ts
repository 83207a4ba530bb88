import { expect, it } from 'vitest';
import { changeAccount, registerAccounts, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { FindFileServerAccountsHandler, FindFileServerAccountsQuery } from './file-server-logins.js';

const found = async (service: EmbeddedService, ...usernames: string[]) =>
  new FindFileServerAccountsHandler(service.names).execute(new FindFileServerAccountsQuery(usernames));

it('finds the accounts with exactly these names', async () => {
  const service = new EmbeddedService();
  await registerAccounts(service, { 7: 'ann', 8: 'bob' });
  await updateAccount(service, 7, { permission: 1024 });
  const accounts = await found(service, 'ann', 'bob', 'Ann', 'ann ', 'nobody', '');
  expect([...accounts.keys()]).toEqual(['ann', 'bob']);
  expect(accounts.get('ann')).toEqual({ accountId: 7, username: 'ann', basePath: '/', permission: 1024 });
  expect(await found(service)).toEqual(new Map());
});

it('leaves out accounts that were disabled, renamed or deleted, from the next question on', async () => {
  const service = new EmbeddedService();
  await registerAccounts(service, { 7: 'off', 8: 'renamed', 9: 'gone', 10: 'stays' });
  const names = ['off', 'renamed', 'gone', 'stays'];
  expect((await found(service, ...names)).size).toBe(4);
  await updateAccount(service, 7, { disabled: true });
  await updateAccount(service, 8, { username: 'other' });
  await changeAccount(service, 9, { type: 'DeleteAccount' });
  expect([...(await found(service, ...names)).keys()]).toEqual(['stays']);
  await updateAccount(service, 7, { disabled: false });
  expect([...(await found(service, ...names)).keys()]).toEqual(['off', 'stays']);
});
