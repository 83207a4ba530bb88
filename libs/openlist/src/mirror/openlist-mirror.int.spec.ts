import { InMemoryStreamQueue } from '@keyfold/application';
import { GUEST_ID, ROLE_GUEST, type UpdateAccount } from '@keyfold/domain';
import { accountStream, openlistUserStream } from '@keyfold/projections';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  accountState,
  addSshKey,
  changeAccount,
  registerAccount,
  updateAccount,
} from '../../../application/testing/accounts.js';
import { EmbeddedFolder, EmbeddedService } from '../../../application/testing/embedded-service.js';
import { OpenListDouble } from '../../../../test/support/openlist/openlist-double.js';
import { OpenListApi } from '../api/openlist-api.js';
import { AccountTurns } from './account-turns.js';
import { accountOfMirror } from './mirrored-user.js';
import { OpenListMirror } from './openlist-mirror.js';
import { LOGIN_CHECKED, UserMirror } from './user-mirror.js';

const ANN = 7;
const BOB = 8;

let openlist: OpenListDouble;
let queue: InMemoryStreamQueue;
let service: EmbeddedService;
let mirror: OpenListMirror;

beforeEach(async () => {
  openlist = await OpenListDouble.start();
  onTestFinished(() => openlist[Symbol.asyncDispose]());
  queue = new InMemoryStreamQueue();
  service = new EmbeddedService();
  mirror = await mirrorOf(service);
  await registerAccount(service, ANN, 'ann');
});

/** Returns the mirror of a thread. All threads share the store and the queue. */
async function mirrorOf({ loader, sealer, runner, clock }: EmbeddedService): Promise<OpenListMirror> {
  const api = await OpenListApi.open({ url: openlist.url, token: openlist.staticToken });
  onTestFinished(() => api.close());
  const turns = new AccountTurns(queue, undefined);
  return new OpenListMirror(api, loader, turns, new UserMirror(api, sealer, runner, () => clock.now()));
}
/** Returns another thread on the same store. */
const otherThread = async (folder: EmbeddedFolder = service.folder) => {
  const other = new EmbeddedService(folder);
  return { service: other, mirror: await mirrorOf(other) };
};

const change = (
  accountId: number,
  differing: Partial<Pick<UpdateAccount, 'disabled' | 'permission'>> & { username?: string },
) => updateAccount(service, accountId, differing);
const callerOf = async (accountId: number, by = service) => {
  const [{ state: account, version: accountVersion }] = await by.loader.load(accountStream(accountId));
  return { account, accountVersion };
};
const authorize = async (accountId: number, by = { service, mirror }) =>
  by.mirror.authorizationOf(await callerOf(accountId, by.service));
/** Returns the user that a token of OpenList stands for. */
async function userOf(authorization: string | undefined): Promise<string> {
  const response = await fetch(`${openlist.url}/api/me`, {
    headers: { authorization: authorization ?? '', connection: 'close' },
  });
  const { code, message, data } = (await response.json()) as {
    code: number;
    message: string;
    data: { username: string };
  };
  return code === 200 ? data.username : message;
}
/** Sends a request for the account, and repeats it once if OpenList refuses the token. */
async function forward(accountId: number, by: { service: EmbeddedService; mirror: OpenListMirror }): Promise<string> {
  const caller = await callerOf(accountId, by.service);
  const token = await by.mirror.authorizationOf(caller);
  const user = await userOf(token);
  return user.startsWith('token') ? userOf(await by.mirror.renewedAuthorizationOf(caller, token!)) : user;
}
/** Changes OpenList behind our back. */
const administer = (path: string, json: object = {}) =>
  fetch(openlist.url + path, {
    method: 'POST',
    headers: { authorization: openlist.staticToken, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
const mirrorIn = (accountId: number) => openlist.users.all.find((user) => accountOfMirror(user) === accountId);

describe('a token for an account', () => {
  it('is that of a user with the name and the rights of the account', async () => {
    await change(ANN, { permission: 300 });
    expect(await userOf(await authorize(ANN))).toBe('ann');
    expect(mirrorIn(ANN)).toMatchObject({ username: 'ann', permission: 300, disabled: false, role: 0, base_path: '/' });
  });

  it('is cached while the account does not change', async () => {
    const token = await authorize(ANN);
    const asked = openlist.requests.total;
    expect(mirror.authorizationOf(await callerOf(ANN))).toBe(token);
    expect(openlist.requests.total).toBe(asked);
  });

  it('follows each change of the account, also by another thread', async () => {
    const other = await otherThread();
    for (const [permission, username] of [
      [1, 'ann'],
      [1, 'anna'],
      [2, 'anna'],
      [3, 'ann'],
    ] as const) {
      await change(ANN, { permission, username });
      for (const by of [{ service, mirror }, other]) {
        expect(await userOf(await authorize(ANN, by))).toBe(username);
        expect(mirrorIn(ANN)).toMatchObject({ username, permission });
      }
    }
    expect(openlist.users.all).toHaveLength(3);
  });

  it('is made again after a restart of OpenList', async () => {
    const token = await authorize(ANN);
    await openlist.restart();
    expect(await userOf(token)).toBe('token is invalidated');
    const renewed = await mirror.renewedAuthorizationOf(await callerOf(ANN), token!);
    expect(await userOf(renewed)).toBe('ann');
  });

  it('is made once for many requests', async () => {
    const caller = await callerOf(ANN);
    const tokens = await Promise.all(Array.from({ length: 20 }, async () => mirror.authorizationOf(caller)));
    expect(new Set(tokens).size).toBe(1);
    expect(openlist.tokens.logins).toBe(1);
  });

  it('is never obtained by a wrong login, while threads rename and restart against each other', async () => {
    await registerAccount(service, BOB, 'bob');
    const threads = [{ service, mirror }, await otherThread(), await otherThread()];
    for (let round = 0; round < 10; round++) {
      const names = [`ann ${round}`, `bob ${round}`] as const;
      const authorizing = threads.flatMap((by) => [ANN, BOB].map((id) => authorize(id, by)));
      const [outcomes] = await Promise.all([
        Promise.allSettled(authorizing),
        change(ANN, { username: names[0] }),
        change(BOB, { username: names[1], permission: round }),
        ...(round % 5 === 4 ? [openlist.restart()] : []),
      ]);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('OpenList is unavailable');
      for (const by of threads) expect(await forward(ANN, by)).toBe(names[0]);
    }
    expect(openlist.tokens.wrongLogins).toBe(0);
  });

  it('is that of the administrator for ours, and none for the guest, whose rights are mirrored', async () => {
    await registerAccount(service, GUEST_ID, 'guest', { role: ROLE_GUEST, disabled: true });
    const administrator = { ...(await callerOf(ANN)), account: { ...(await accountState(service, ANN)), role: 2 } };
    expect(mirror.authorizationOf(administrator)).toBe(openlist.staticToken);
    await updateAccount(service, GUEST_ID, { disabled: false, permission: 5 });
    expect(await authorize(GUEST_ID)).toBeUndefined();
    expect(openlist.users.guest).toMatchObject({ username: 'guest', disabled: false, permission: 5 });
  });
});

describe('a login of WebDAV', () => {
  const ask = async (authorization: string) => {
    const headers = { authorization, depth: '0', connection: 'close' };
    return (await fetch(`${openlist.url}/dav/`, { method: 'PROPFIND', headers })).status;
  };
  /** Sends a request as the gateway does, which repeats it once. Returns the status. */
  async function browse(accountId: number, by: { service: EmbeddedService; mirror: OpenListMirror }): Promise<number> {
    const caller = await callerOf(accountId, by.service);
    const { authorization } = await by.mirror.webDavLoginOf(caller);
    const status = await ask(authorization);
    return status === 401 ? ask((await by.mirror.renewedWebDavLoginOf(caller, authorization)).authorization) : status;
  }

  it('is right for the guest in every thread, and again after somebody changed the password in OpenList', async () => {
    await registerAccount(service, GUEST_ID, 'guest', { role: ROLE_GUEST });
    await updateAccount(service, GUEST_ID, { permission: 256 });
    const threads = [{ service, mirror }, await otherThread()];
    for (const by of [...threads, ...threads]) expect(await browse(GUEST_ID, by)).toBe(207);
    expect(openlist.tokens.wrongLogins).toBe(0);
    const { id, username, base_path, role, permission, sso_id } = openlist.users.guest;
    const body = JSON.stringify({ id, username, base_path, role, permission, sso_id, password: 'another' });
    const headers = { authorization: openlist.staticToken };
    await fetch(`${openlist.url}/api/admin/user/update`, { method: 'POST', headers, body });
    for (const by of threads) expect(await browse(GUEST_ID, by)).toBe(207);
    expect(openlist.tokens.wrongLogins).toBe(1);
  });

  /** Returns when OpenList was asked to change or delete a user, oldest first, in milliseconds since 1970. */
  const changesAt = () =>
    openlist.requests.received
      .filter(({ url }) => /^\/api\/admin\/user\/(update|delete)\b/.test(url))
      .map(({ at }) => at);
  /** Node's timers count whole milliseconds. */
  const CHECKED = LOGIN_CHECKED - 2;

  it.each([
    ['renamed', () => change(ANN, { username: 'anna', permission: 0x3ff }).then(() => mirror.carry(ANN))],
    ['adopted', () => mirror.adopt(ANN, mirrorIn(ANN)!.id)],
    ['deleted', () => changeAccount(service, ANN, { type: 'DeleteAccount' }).then(() => mirror.carry(ANN))],
  ])('has reached OpenList by the time its user is %s', async (_, act) => {
    await change(ANN, { permission: 0x3ff });
    await mirror.carry(ANN);
    openlist.requests.forget();
    const began = performance.timeOrigin + performance.now();
    await act();
    expect(changesAt()[0]! - began).toBeGreaterThan(CHECKED);
  });

  it('has reached OpenList by the time its user is renamed, although the right to WebDAV was lost before', async () => {
    await change(ANN, { permission: 0x3ff });
    await mirror.carry(ANN);
    openlist.requests.forget();
    await change(ANN, { permission: 0 });
    await mirror.carry(ANN);
    await change(ANN, { permission: 0, username: 'anna' });
    await mirror.carry(ANN);
    const [lost, renamed, ...others] = changesAt();
    expect(renamed! - lost!).toBeGreaterThan(CHECKED);
    expect(others).toEqual([]);
  });

  it('is given up after some attempts while the account keeps changing', async () => {
    const caller = await callerOf(ANN);
    openlist.beforeRead = ({ method }) =>
      method === 'POST' ? change(ANN, { permission: openlist.requests.total & 0xff }) : undefined;
    await expect(mirror.webDavLoginOf(caller)).rejects.toThrow('the account keeps changing');
  });

  it('succeeds while its user is adopted again and again', async () => {
    await change(ANN, { permission: 0x3ff });
    const threads = [{ service, mirror }, await otherThread()];
    await mirror.carry(ANN);
    const { id } = mirrorIn(ANN)!;
    let adopting = true;
    const browsing = threads.map(async (by) => {
      while (adopting) expect(await browse(ANN, by)).toBe(207);
    });
    for (let round = 0; round < 5; round++) await mirror.adopt(ANN, id);
    adopting = false;
    await Promise.all(browsing);
    // Only a request that is under way while the password changes can be wrong: one of each thread.
    expect(openlist.tokens.wrongLogins).toBeLessThanOrEqual(5 * threads.length);
  });

  it('is wrong once after its password was changed there, and is not tried again while that does not help', async () => {
    await change(ANN, { permission: 0x3ff });
    await mirror.carry(ANN);
    const spoil = () => administer('/api/admin/user/update', { ...mirrorIn(ANN), password: 'foreign' });
    await spoil();
    expect(await browse(ANN, { service, mirror })).toBe(207);
    expect(openlist.tokens.wrongLogins).toBe(1);
    await spoil();
    await expect(browse(ANN, { service, mirror })).rejects.toThrow('OpenList refuses the login of the mirror');
    expect(openlist.tokens.wrongLogins).toBe(2);
  });
});

describe('a name', () => {
  it('of a user that is no mirror blocks the account until it is adopted', async () => {
    const foreign = openlist.users.addForeign('ann');
    await expect(authorize(ANN)).rejects.toThrow('a user of OpenList that is no mirror has the name');
    expect(openlist.users.named('ann')).toEqual(foreign);
    await mirror.adopt(ANN, foreign.id);
    expect(await userOf(await authorize(ANN))).toBe('ann');
    expect(mirrorIn(ANN)).toMatchObject({ id: foreign.id });
  });

  it('passes from one mirror to another, also in a circle', async () => {
    await registerAccount(service, BOB, 'bob');
    await Promise.all([authorize(ANN), authorize(BOB)]);
    const former = await authorize(ANN);
    for (const [id, username] of [
      [ANN, 'free'],
      [BOB, 'ann'],
      [ANN, 'bob'],
    ] as const)
      await change(id, { username });
    expect(await userOf(await authorize(ANN))).toBe('bob');
    expect(await userOf(await authorize(BOB))).toBe('ann');
    expect(await userOf(former)).toBe('Password has been changed, login please');
    expect(openlist.tokens.wrongLogins).toBe(0);
  });

  it('of a deleted account is free for the next one before its user is deleted', async () => {
    await authorize(ANN);
    await changeAccount(service, ANN, { type: 'DeleteAccount' });
    await registerAccount(service, BOB, 'ann');
    expect(await userOf(await authorize(BOB))).toBe('ann');
    expect(mirrorIn(ANN)).toBeUndefined();
  });
});

describe('a mirror', () => {
  it('is found again after a crash before its link was stored', async () => {
    await authorize(ANN);
    const { id } = mirrorIn(ANN)!;
    const later = new EmbeddedService();
    await registerAccount(later, ANN, 'ann');
    expect(await userOf(await authorize(ANN, { service: later, mirror: await mirrorOf(later) }))).toBe('ann');
    expect(mirrorIn(ANN)).toMatchObject({ id });
  });

  it('that OpenList lost is made again for a new key', async () => {
    await mirror.carry(ANN);
    await administer(`/api/admin/user/delete?id=${mirrorIn(ANN)!.id}`);
    await addSshKey(service, ANN, 'laptop');
    await expect(mirror.carry(ANN)).rejects.toThrow('OpenList no longer has the mirror of the account');
    await mirror.carry(ANN);
    expect(openlist.keys.of(mirrorIn(ANN)!.id)).toHaveLength(1);
  });

  it('of an account that this store never had keeps its user and its name', async () => {
    const foreign = openlist.users.addForeign('ann');
    await administer('/api/admin/user/update', { ...foreign, sso_id: 'keyfold-99-0123456789abcdef' });
    await expect(authorize(ANN)).rejects.toThrow('the mirror of an account that this store never had has the name');
    expect(openlist.users.named('ann')).toMatchObject({ id: foreign.id });
  });

  it('makes nobody wait while OpenList does not answer', async () => {
    await openlist.setFault('hang');
    const began = performance.now();
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => authorize(ANN)));
    expect(asked.filter(({ status }) => status !== 'rejected')).toEqual([]);
    // One timeout of five seconds, not one for each.
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it('that OpenList lost is made again', async () => {
    const token = await authorize(ANN);
    await administer(`/api/admin/user/delete?id=${mirrorIn(ANN)!.id}`);
    expect(await userOf(await mirror.renewedAuthorizationOf(await callerOf(ANN), token!))).toBe('ann');
  });

  it('whose password was changed there gets a new one after a single wrong login', async () => {
    const token = await authorize(ANN);
    await administer('/api/admin/user/update', { ...mirrorIn(ANN), password: 'foreign' });
    expect(await userOf(await mirror.renewedAuthorizationOf(await callerOf(ANN), token!))).toBe('ann');
    expect([openlist.tokens.logins, openlist.tokens.wrongLogins]).toEqual([2, 1]);
  });

  it('that another thread gave a new password is never used with the old one', async () => {
    const other = await otherThread();
    await other.mirror.carry(ANN);
    const { authorization: former } = await other.mirror.webDavLoginOf(await callerOf(ANN));
    await mirror.adopt(ANN, mirrorIn(ANN)!.id);
    const { authorization: current } = await mirror.webDavLoginOf(await callerOf(ANN));
    expect(current).not.toBe(former);
    expect(await other.mirror.webDavLoginOf(await callerOf(ANN))).toMatchObject({ authorization: current });
    await mirror.adopt(ANN, mirrorIn(ANN)!.id);
    expect(await userOf(await authorize(ANN, other))).toBe('ann');
    expect(openlist.tokens.wrongLogins).toBe(0);
  });

  it('is deleted with its account', async () => {
    await mirror.carry(ANN);
    expect(mirrorIn(ANN)).toBeDefined();
    await changeAccount(service, ANN, { type: 'DeleteAccount' });
    await mirror.carry(ANN);
    expect(mirrorIn(ANN)).toBeUndefined();
    await expect(authorize(ANN)).rejects.toThrow('the account has no user in OpenList');
  });

  it('has the SSH keys of the account, once it is enabled', async () => {
    await addSshKey(service, ANN, 'laptop');
    await change(ANN, { disabled: true });
    await mirror.carry(ANN);
    const titles = () => openlist.keys.of(mirrorIn(ANN)!.id).map(({ title }) => title);
    expect(titles()).toEqual([]);
    await change(ANN, { disabled: false });
    await addSshKey(service, ANN, 'phone', { expiresAt: service.clock.now() + 1_000 });
    await mirror.carry(ANN);
    expect(titles()).toEqual(['laptop', 'phone']);
    service.clock.advance(1_000);
    await openlist.restart();
    await addSshKey(service, ANN, 'tablet');
    await mirror.carry(ANN);
    expect(titles()).toEqual(['laptop', 'tablet']);
  });

  it('has a password that only the sealing key opens', async () => {
    await authorize(ANN);
    const [{ state }] = await service.loader.load(openlistUserStream(ANN));
    const { authorization } = await mirror.webDavLoginOf(await callerOf(ANN));
    const [, password] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':');
    expect(service.sealer.open(state.sealedPassword, `openlist-user-${ANN}/password`)).toBe(password);
    expect(JSON.stringify(openlist.users.all)).not.toContain(password);
  });
});
