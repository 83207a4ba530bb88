import { beforeEach, describe, expect, it } from 'vitest';
import { accountState } from '../../testing/accounts.js';
import type { EmbeddedService } from '../../testing/embedded-service.js';
import { clientWithAnn, type LoginClient } from '../../testing/login-client.js';
import { MINUTE } from '../../testing/settable-clock.js';
import { operator } from '../caller/caller.js';
import { UnlockAccountCommand, UnlockAccountHandler } from './manage-accounts.js';

const networkOf = (n: number) => `198.51.${n}.1`;

describe('an unlocked account', () => {
  let service: EmbeddedService;
  let client: LoginClient;
  beforeEach(async () => {
    ({ service, client } = await clientWithAnn());
  });

  const unlock = (accountId = 7) =>
    new UnlockAccountHandler(service.runner, service.loader, service.throttle).execute(
      new UnlockAccountCommand(operator, accountId, { correlation: 'test' }),
    );
  const guess = async (count: number, address?: string) => {
    for (let n = 0; n < count; n++)
      await client.outcome({ password: 'wrong', address: address ?? networkOf(n), username: 'ann' });
  };

  it('admits a source that guessed the password too often', async () => {
    await guess(5, '192.0.2.7');
    expect(await client.outcome()).toBe('too-many-attempts');
    expect((await unlock()).blocks).toBeGreaterThan(0);
    expect(await client.outcome()).toBe('token');
  });

  it('admits every network after guesses from many', async () => {
    for (let n = 0; n < 3; n++) await guess(25);
    expect(await client.outcome({ address: networkOf(3) })).toBe('too-many-attempts');
    await unlock();
    expect(await client.outcome({ address: networkOf(3) })).toBe('token');
  });

  it('keeps the limits of a source for all accounts', async () => {
    for (let n = 0; n < 50; n++) await client.outcome({ username: `nobody ${n}`, address: '192.0.2.7' });
    await unlock();
    expect(await client.outcome()).toBe('too-many-attempts');
  });

  it('keeps the blocks of other accounts', async () => {
    for (let n = 0; n < 5; n++) await client.outcome({ username: 'anna', address: '192.0.2.8' });
    await unlock();
    expect(await client.outcome({ username: 'anna', address: '192.0.2.8' })).toBe('too-many-attempts');
  });

  it('keeps its known sources', async () => {
    expect(await client.outcome()).toBe('token');
    await unlock();
    const attempt = { factor: 'password', address: '192.0.2.7', device: undefined } as const;
    const { nameHash: account } = await accountState(service, 7);
    expect(await service.throttle.isKnown({ ...attempt, account })).toBe(true);
  });

  it('accepts codes from unknown sources after a hundred wrong ones, and the next wrong one does not lock it', async () => {
    await client.enableTwoFactor(7);
    for (let n = 0; n < 100; n++) {
      service.clock.advance(16 * MINUTE);
      await client.outcome({ code: client.wrongCode(), address: networkOf(n) });
    }
    service.clock.advance(16 * MINUTE);
    expect(await client.outcome({ code: client.code(), address: networkOf(200) })).toBe('one-time-code-locked');
    expect(await unlock()).toMatchObject({ code: true });
    expect(await client.outcome({ code: client.wrongCode(), address: networkOf(200) })).toBe(
      'one-time-code-invalid-at-login',
    );
    expect(await client.outcome({ code: client.code(), address: networkOf(200) })).toBe('token');
    const { twoFactor } = await accountState(service, 7);
    expect(twoFactor).toMatchObject({ locked: false, enrolment: 1 });
  });

  it('must exist, and an account without locks does not change', async () => {
    await expect(unlock(8)).rejects.toMatchObject({ code: 'account-not-found' });
    const history = () => service.store.readStreams([{ stream: 'account-7', version: 0 }]);
    const before = await history();
    expect(await unlock()).toEqual({ code: false, blocks: 0 });
    expect(await history()).toEqual(before);
  });
});
