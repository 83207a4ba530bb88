import { describe, expect, it } from 'vitest';
import { changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';

describe('a user name', () => {
  it('leads to the account that has exactly this name', async () => {
    const service = new EmbeddedService();
    await registerAccount(service, 7, 'ann');
    await registerAccount(service, 8, 'Ann');
    expect(await service.names.find('ann')).toBe(7);
    expect(await service.names.find('Ann')).toBe(8);
    for (const other of ['', ' ann', 'ann ', 'an', 'anna']) expect(await service.names.find(other)).toBeUndefined();
  });

  it('is taken while an account has it, and free in the next turn afterwards', async () => {
    const service = new EmbeddedService();
    expect((await service.names.claim('ann')).turn).toBe(1);
    await registerAccount(service, 7, 'ann');
    expect((await service.names.claim('ann')).turn).toBe('taken');
    await updateAccount(service, 7, { username: 'anna' });
    expect(await service.names.find('ann')).toBeUndefined();
    expect(await service.names.find('anna')).toBe(7);
    expect((await service.names.claim('ann')).turn).toBe(2);
    await changeAccount(service, 7, { type: 'DeleteAccount' });
    expect((await service.names.claim('anna')).turn).toBe(2);
  });

  it('is free in an earlier turn once its last owners are erased, and its other owners stay known', async () => {
    const service = new EmbeddedService();
    const own = async (accountId: number) => {
      await registerAccount(service, accountId, 'ann');
      service.clock.advance(10_000);
      await changeAccount(service, accountId, { type: 'DeleteAccount' });
    };
    const start = service.clock.now();
    for (const accountId of [1, 2, 3, 4]) await own(accountId);
    await service.store.erase(['account-2', 'account-4']);
    expect(await service.names.find('ann')).toBeUndefined();
    expect(await service.names.claim('ann')).toMatchObject({ turn: 4, released: { by: 3, at: start + 30_000 } });
    const owners = [5, 15, 25].map((seconds) => service.names.ownerAt('ann', start + seconds * 1_000));
    expect(await Promise.all(owners)).toEqual([1, 3, 3]);
    await own(5);
    expect(await service.names.ownerAt('ann', start + 35_000)).toBe(5);
    await service.store.erase([1, 3, 5].map((accountId) => `account-${accountId}`));
    expect(await service.names.claim('ann')).toMatchObject({ turn: 1 });
    expect(await service.names.ownerAt('ann', start)).toBeUndefined();
  });

  it('leads to its last owner after more than nine turns', async () => {
    const service = new EmbeddedService();
    for (let turn = 1; turn <= 11; turn++) {
      await registerAccount(service, 100 + turn, 'ann');
      expect(await service.names.find('ann')).toBe(100 + turn);
      await changeAccount(service, 100 + turn, { type: 'DeleteAccount' });
    }
    expect((await service.names.claim('ann')).turn).toBe(12);
  });
});
