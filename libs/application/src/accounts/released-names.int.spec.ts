import { DomainError, NameRules } from '@keyfold/domain';
import { describe, expect, it } from 'vitest';
import {
  accountState,
  changeAccount,
  registerAccount,
  registerAccounts,
  updateAccount,
} from '../../testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../testing/embedded-service.js';
import { DAY } from '../../testing/settable-clock.js';
import type { Listener } from '../../testing/watched-port.js';
import { SecretRevocation } from '../named-secrets/secret-revocation.js';
import { ChangeOwnProfileCommand, ChangeOwnProfileHandler } from './own-profile.js';

const reserved = new DomainError('username-reserved');
const taken = new DomainError('username-taken');

/** Renames an account at its own request, in a process that reserves released names for 30 days. */
async function rename(service: EmbeddedService, accountId: number, username: string): Promise<void> {
  const { runner, loader, names, passwords, clock } = service;
  const revocation = new SecretRevocation(runner, loader, clock);
  const rules = new NameRules(30 * DAY, []);
  const handler = new ChangeOwnProfileHandler(runner, names, passwords, rules, clock, revocation);
  const account = await accountState(service, accountId);
  const profile = { username, password: '', ssoId: '', revokeSecrets: false };
  await handler.execute(
    new ChangeOwnProfileCommand({ account, accountVersion: 1, by: 'session' }, profile, { correlation: 'test' }),
  );
}

/** Starts two processes with the accounts 7 "ann", 8 "bea" and 9 "cid". `listener` is called before port calls of the second. */
async function start(listener?: Listener) {
  const folder = new EmbeddedFolder();
  const [here, elsewhere] = [new EmbeddedService(folder), new EmbeddedService(folder, listener)];
  await registerAccounts(here, { 7: 'ann', 8: 'bea', 9: 'cid' });
  return { clock: folder.clock, here, elsewhere };
}

describe('a released name', () => {
  it.each([
    ['a rename', (service: EmbeddedService) => rename(service, 7, 'anna')],
    ['the deletion of its account', (service: EmbeddedService) => changeAccount(service, 7, { type: 'DeleteAccount' })],
  ])('is refused to other accounts for 30 days after %s, by every process', async (_, release) => {
    const { clock, here, elsewhere } = await start();
    await release(here);
    clock.advance(30 * DAY - 1);
    for (const service of [here, elsewhere]) await expect(rename(service, 8, 'ann')).rejects.toEqual(reserved);
    clock.advance(1);
    await rename(elsewhere, 8, 'ann');
    expect(await here.names.find('ann')).toBe(8);
  });

  it('can be taken back at once by the account that released it', async () => {
    const { here, elsewhere } = await start();
    await rename(here, 7, 'anna');
    await rename(elsewhere, 7, 'ann');
    expect(await here.names.find('ann')).toBe(7);
    await expect(rename(here, 8, 'anna')).rejects.toEqual(reserved);
  });

  it('can be assigned at once by an administrator and is then reserved for its new owner', async () => {
    const { here, elsewhere } = await start();
    await rename(here, 7, 'anna');
    await updateAccount(elsewhere, 8, { username: 'ann' });
    await rename(here, 8, 'bea');
    await expect(rename(here, 7, 'ann')).rejects.toEqual(reserved);
    await registerAccount(elsewhere, 10, 'ann');
    expect(await here.names.find('ann')).toBe(10);
  });

  it('goes to one of the accounts that ask concurrently once the time is over', async () => {
    const { clock, here, elsewhere } = await start();
    await rename(here, 7, 'anna');
    clock.advance(30 * DAY);
    const outcomes = await Promise.allSettled([
      rename(here, 8, 'ann'),
      rename(elsewhere, 9, 'ann'),
      rename(elsewhere, 7, 'ann'),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => reason as unknown)).toEqual([taken, taken]);
  });

  it('is refused if it was taken and released again during the rename', async () => {
    let rival = async () => {};
    const { clock, here, elsewhere } = await start(async (call) => {
      if (call === 'EventStore.append') await rival();
    });
    await rename(here, 7, 'anna');
    clock.advance(30 * DAY);
    rival = async () => {
      await rename(here, 9, 'ann');
      await rename(here, 9, 'cid');
    };
    await expect(rename(elsewhere, 8, 'ann')).rejects.toEqual(taken);
    expect((await accountState(here, 8)).username).toBe('bea');
    rival = async () => {};
    await expect(rename(elsewhere, 8, 'ann')).rejects.toEqual(reserved);
  });
});
