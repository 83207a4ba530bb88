import { InMemoryStreamQueue } from '@keyfold/application';
import { ADMIN_ID, GUEST_ID } from '@keyfold/domain';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { changeAccount, registerAccount } from '../../../application/testing/accounts.js';
import { EmbeddedService } from '../../../application/testing/embedded-service.js';
import { OpenListDouble } from '../../../../test/support/openlist/openlist-double.js';
import { OpenListApi } from '../api/openlist-api.js';
import { AccountTurns } from './account-turns.js';
import { MirroredIds } from './mirrored-ids.js';
import { OpenListMirror } from './openlist-mirror.js';
import { UserMirror } from './user-mirror.js';

const ANN = 7;

let openlist: OpenListDouble;
let api: OpenListApi;
let service: EmbeddedService;
let mirror: OpenListMirror;
let ids: MirroredIds;

beforeEach(async () => {
  openlist = await OpenListDouble.start();
  onTestFinished(() => openlist[Symbol.asyncDispose]());
  api = await OpenListApi.open({ url: openlist.url, token: openlist.staticToken });
  onTestFinished(() => api.close());
  service = new EmbeddedService();
  const { loader, sealer, runner, clock } = service;
  const turns = new AccountTurns(new InMemoryStreamQueue(), undefined);
  mirror = new OpenListMirror(api, loader, turns, new UserMirror(api, sealer, runner, () => clock.now()));
  ids = new MirroredIds(api, loader, mirror);
  await registerAccount(service, ANN, 'ann');
});

describe('ids of accounts and users', () => {
  it('lead to each other for administrators, guests and mirrors, which are made if they are missing', async () => {
    const { admin, guest } = openlist.users;
    const users = await ids.usersOf([ADMIN_ID, GUEST_ID, ANN]);
    const ann = openlist.users.named('ann')!;
    expect(users).toEqual(
      new Map([
        [ADMIN_ID, admin.id],
        [GUEST_ID, guest.id],
        [ANN, ann.id],
      ]),
    );
    const accounts = await ids.accountsOf(users.values());
    expect([...users].map(([, user]) => accounts.get(user))).toEqual([ADMIN_ID, GUEST_ID, ANN]);
  });

  it('are missing without the other one', async () => {
    const foreign = openlist.users.addForeign('foreign');
    expect(await ids.accountsOf([0, 99, foreign.id])).toEqual(new Map());
    expect(await ids.usersOf([0, 99])).toEqual(new Map());
    openlist.users.addForeign('bob');
    await registerAccount(service, 8, 'bob');
    expect(await ids.usersOf([8])).toEqual(new Map());
  });

  it('of a user with the mark of an account that it does not mirror stay apart', async () => {
    await mirror.carry(ANN);
    const { id, ...fields } = (await api.user(openlist.users.named('ann')!.id))!;
    await api.createUser({ ...fields, username: 'stray', password: 'x' });
    expect(await ids.accountsOf([openlist.users.named('stray')!.id])).toEqual(new Map());
    expect(await ids.usersOf([ANN])).toEqual(new Map([[ANN, id]]));
  });

  it('are apart once the account is deleted', async () => {
    const [user] = (await ids.usersOf([ANN])).values();
    await changeAccount(service, ANN, { type: 'DeleteAccount' });
    expect(await ids.usersOf([ANN])).toEqual(new Map());
    expect(await ids.accountsOf([user!])).toEqual(new Map());
  });
});
