import { InMemoryStreamQueue } from '@keyfold/application';
import { openlistUserStream } from '@keyfold/projections';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { DisturbingProxy, type Disturbance } from '../../../../test/support/openlist/disturbing-proxy.js';
import { OpenListDouble } from '../../../../test/support/openlist/openlist-double.js';
import { addSshKey, changeAccount, registerAccount, updateAccount } from '../../../application/testing/accounts.js';
import { EmbeddedService } from '../../../application/testing/embedded-service.js';
import { OpenListApi } from '../api/openlist-api.js';
import { OpenListUnavailable } from '../api/openlist.errors.js';
import { AccountTurns } from './account-turns.js';
import { MirroredIds } from './mirrored-ids.js';
import { accountOfMirror } from './mirrored-user.js';
import { OpenListMirror } from './openlist-mirror.js';
import { UserMirror } from './user-mirror.js';

/** The change in which a mirror is created, after the look-up of its name. */
const CREATION = 1;
/** How often a change is carried before it must have arrived. */
const ATTEMPTS = 5;

let openlist: OpenListDouble;
let proxy: DisturbingProxy;
let service: EmbeddedService;
let mirror: OpenListMirror;
let ids: MirroredIds;

beforeEach(async () => {
  openlist = await OpenListDouble.start();
  onTestFinished(() => openlist[Symbol.asyncDispose]());
  proxy = await DisturbingProxy.start(openlist.url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  service = new EmbeddedService();
  const { loader, sealer, runner, clock } = service;
  const api = await OpenListApi.open({ url: proxy.url, token: openlist.staticToken });
  onTestFinished(() => api.close());
  const users = new UserMirror(api, sealer, runner, () => clock.now());
  mirror = new OpenListMirror(api, loader, new AccountTurns(new InMemoryStreamQueue(), undefined), users);
  ids = new MirroredIds(api, loader, mirror);
});

/** Carries an account as the outlet does: again after each answer that did not arrive. */
async function carry(accountId: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await mirror.carry(accountId);
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof OpenListUnavailable)) throw error;
      await proxy.sendLate();
    }
  }
}

/** Loses the answer to the creation of a mirror. */
async function loseCreation(accountId: number, disturbance: Disturbance): Promise<void> {
  await registerAccount(service, accountId, 'ann');
  proxy.disturb(disturbance, CREATION);
  await expect(mirror.carry(accountId)).rejects.toThrow(OpenListUnavailable);
}

const usersOf = (accountId: number) => openlist.users.all.filter((user) => accountOfMirror(user) === accountId);

it.each(['cut', 'doubled', 'late'] as const)(
  'one user stands for an account at any time, whichever request of its life is %s',
  async (disturbance) => {
    let accountId = 100;
    let count = Infinity;
    for (let change = 0; change < count; change++) {
      accountId++;
      await registerAccount(service, accountId, `user ${accountId}`);
      await addSshKey(service, accountId, 'laptop');
      proxy.disturb(disturbance, change);
      await carry(accountId);
      expect(usersOf(accountId), `change ${change}`).toMatchObject([
        { username: `user ${accountId}`, disabled: false },
      ]);
      expect(openlist.keys.of(usersOf(accountId)[0]!.id)).toHaveLength(1);

      await updateAccount(service, accountId, { username: `renamed ${accountId}`, permission: 1 });
      await carry(accountId);
      const renamed = { username: `renamed ${accountId}`, permission: 1, disabled: false };
      expect(usersOf(accountId), `change ${change}`).toMatchObject([renamed]);

      await changeAccount(service, accountId, { type: 'DeleteAccount' });
      await carry(accountId);
      expect(usersOf(accountId), `change ${change}`).toEqual([]);
      count = proxy.changes;
    }
    expect(openlist.tokens.wrongLogins).toBe(0);
  },
);

it.each(['cut', 'late'] as const)(
  'a rename after a %s creation leaves no user with the former name',
  async (disturbance) => {
    await loseCreation(7, disturbance);
    await updateAccount(service, 7, { username: 'anna' });
    await proxy.sendLate();
    await carry(7);
    expect(usersOf(7)).toMatchObject([{ username: 'anna', disabled: false }]);
  },
);

it.each(['cut', 'late'] as const)('a deletion after a %s creation leaves no user', async (disturbance) => {
  await loseCreation(7, disturbance);
  await changeAccount(service, 7, { type: 'DeleteAccount' });
  await proxy.sendLate();
  await carry(7);
  expect(usersOf(7)).toEqual([]);
});

it('a user stands for its account before its creation is confirmed', async () => {
  await loseCreation(7, 'cut');
  const [user] = usersOf(7);
  expect(await ids.accountsOf([user!.id])).toEqual(new Map([[user!.id, 7]]));
});

it('a creation that OpenList executes after everything else leaves a disabled user', async () => {
  await loseCreation(7, 'late');
  await updateAccount(service, 7, { username: 'anna' });
  await mirror.carry(7);
  await proxy.sendLate();
  expect(usersOf(7)).toMatchObject([
    { username: 'anna', disabled: false },
    { username: 'ann', disabled: true },
  ]);
});

it('a change that OpenList executes after a newer one is undone within minutes', async () => {
  await registerAccount(service, 7, 'ann');
  await carry(7);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await updateAccount(service, 7, { permission: 1 });
  proxy.disturb('late', 0);
  await expect(mirror.carry(7)).rejects.toThrow(OpenListUnavailable);
  await updateAccount(service, 7, { disabled: true });
  await mirror.carry(7);
  expect(usersOf(7)).toMatchObject([{ disabled: true }]);
  await proxy.sendLate();
  expect(usersOf(7)).toMatchObject([{ disabled: false }]);
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(() => expect(usersOf(7)).toMatchObject([{ disabled: true }]), 10_000);
});

it('an intention is stored once, however often a creation is tried, and not while somebody else has the name', async () => {
  const links = async (accountId: number) => (await service.loader.load(openlistUserStream(accountId)))[0].version;
  openlist.users.addForeign('bob');
  await registerAccount(service, 8, 'bob');
  await expect(mirror.carry(8)).rejects.toThrow('adopt');
  expect(await links(8)).toBe(0);
  await loseCreation(7, 'late');
  proxy.disturb('late', 0);
  await expect(mirror.carry(7)).rejects.toThrow(OpenListUnavailable);
  expect(await links(7)).toBe(1);
});
