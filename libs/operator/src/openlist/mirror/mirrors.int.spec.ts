import { sealingContext } from '@keyfold/application';
import { openlistUserStream } from '@keyfold/projections';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { OpenListDouble } from '../../../../../test/support/openlist/openlist-double.js';
import { openlistAccount } from '../../../testing/openlist-account.js';
import { openScene, operatorStores, type OperatorScene } from '../../../testing/operator-scene.js';
import { eraseAccountData } from '../../store/erasure/erase-account-data.js';
import type { Adoption } from './adoption-plan.js';

let openlist: OpenListDouble;
beforeEach(async () => {
  const started = await OpenListDouble.start();
  onTestFinished(() => started[Symbol.asyncDispose]());
  openlist = started;
});
const settings = () => ({ openlist: { url: openlist.url, token: openlist.staticToken } });
/** Changes a user as its administrator could, without Keyfold. */
const changeUser = async (username: string, changes: object) => {
  const { id, base_path, role, disabled, permission, sso_id, allow_ldap } = openlist.users.named(username)!;
  const user = { id, username, base_path, role, disabled, permission, sso_id, allow_ldap, ...changes };
  await post('/api/admin/user/update', user);
};
const post = async (path: string, body: object = {}) => {
  const response = await fetch(openlist.url + path, {
    method: 'POST',
    headers: { authorization: openlist.staticToken, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(await response.json()).toMatchObject({ code: 200 });
};
const idOf = (username: string) => openlist.users.named(username)?.id;

describe.each(operatorStores)('on %s', (_, open) => {
  let scene: OperatorScene;
  beforeEach(async () => {
    scene = await open(settings());
    await scene.startFirst();
    await scene.register(7, 'ann');
    await scene.register(8, 'bea');
    await scene.addSshKey(7, 'laptop');
    await scene.project();
  });
  const rebuild = () => scene.run({ command: 'openlist rebuild', args: {} });
  const verify = () => scene.run({ command: 'openlist verify', args: {} });
  const adoptions = async (...names: string[]) => {
    const { out } = await scene.run({ command: 'openlist adopt', args: { names } });
    return out.map((line) => JSON.parse(line) as Adoption);
  };
  const adopt = async (users: readonly object[]) => {
    const { out } = await scene.run({ command: 'openlist adopt', args: { names: [], users } });
    return out.map((line) => JSON.parse(line) as object);
  };

  it('a rebuild makes the missing mirrors with their keys, and a comparison then finds no difference', async () => {
    expect(await verify()).toEqual({
      err: [],
      status: 1,
      out: [
        'the guest of OpenList differs in disabled flag',
        'account 7 ("ann") has no mirror',
        'account 8 ("bea") has no mirror',
        '0 mirrors with 0 SSH keys: 3 differences',
      ],
    });
    expect(await rebuild()).toMatchObject({ status: 0, out: ['made 2 mirrors, deleted 0'] });
    expect(await verify()).toEqual({ status: 0, out: ['2 mirrors with 1 SSH key: no differences'], err: [] });
  });

  it('a comparison names every difference and changes nothing', async () => {
    await rebuild();
    await changeUser('ann', { base_path: '/elsewhere', permission: 1 });
    await changeUser('bea', { sso_id: '' });
    await changeUser('guest', { disabled: true, base_path: '/public' });
    await post('/api/admin/user/sshkey/delete?id=1');
    openlist.users.addForeign('zoe');
    const before = openlist.users.all;
    const { status, out, err } = await verify();
    expect({ status, err }).toEqual({ status: 1, err: ['2 users of OpenList that Keyfold does not know'] });
    expect(out).toEqual([
      'the mirror of account 7 ("ann") differs in base path, permissions',
      'the mirror of account 7 ("ann") lacks the SSH key "laptop"',
      'the guest of OpenList differs in base path, disabled flag',
      'account 8 ("bea") has no mirror',
      '1 mirror with 0 SSH keys: 4 differences',
    ]);
    expect(openlist.users.all).toEqual(before);
  });

  it('a rebuild gives each mirror a new password and keeps its user', async () => {
    await rebuild();
    const before = openlist.users.named('ann')!;
    await changeUser('ann', { username: 'renamed', permission: 1 });
    expect(await rebuild()).toMatchObject({ status: 0 });
    const after = openlist.users.named('ann')!;
    expect(after.id).toBe(before.id);
    expect(after.passwordHash).not.toBe(before.passwordHash);
    expect(await verify()).toMatchObject({ status: 0 });
    expect(openlist.tokens.wrongLogins).toBe(0);
  });

  it('a rebuild deletes the mirrors of deleted and erased accounts, and no other user', async () => {
    await rebuild();
    for (const accountId of [7, 8]) await scene.change(accountId, { type: 'DeleteAccount' });
    await scene.project();
    await eraseAccountData(scene.ports, 8, new AbortController().signal);
    const zoe = openlist.users.addForeign('zoe');
    const other = openlist.users.addForeign('yan');
    await changeUser('yan', { sso_id: 'keyfold-99-0123456789abcdef' });
    const { out: differences } = await verify();
    expect(differences).toContain(
      `user ${idOf('ann')} of OpenList ("ann") has the mark of account 7, which has no mirror`,
    );
    expect(await rebuild()).toEqual({
      status: 1,
      out: ['made 0 mirrors, deleted 2'],
      err: [
        `user ${other.id} of OpenList ("yan") has the mark of account 99, which this store never had. It was left alone`,
      ],
    });
    expect(openlist.users.all.map(({ id }) => id)).toEqual([1, 2, zoe.id, other.id]);
  });

  it('an adoption takes the users whose names accounts have, with a new password and the rights of the account', async () => {
    const ann = openlist.users.addForeign('ann', { base_path: '/files', permission: 1 });
    openlist.users.addForeign('zoe');
    const [planned, ...others] = await adoptions();
    expect(planned).toEqual({ userId: ann.id, name: 'ann', accountId: 7, username: 'ann', replaces: null });
    expect(others).toEqual([]);
    expect(openlist.users.named('ann')).toEqual(ann);
    expect(await adopt([planned!])).toEqual([{ userId: ann.id, problem: null }]);
    expect(openlist.users.named('ann')).toMatchObject({ id: ann.id, base_path: '/', permission: 0 });
    expect(openlist.users.named('ann')!.passwordHash).not.toBe(ann.passwordHash);
    expect(openlist.keys.of(ann.id)).toHaveLength(1);
    expect(await adoptions()).toEqual([]);
    expect(await adopt([planned!])).toEqual([{ userId: ann.id, problem: 'it has changed in OpenList meanwhile' }]);
  });

  it('an adoption knows imported users after a rename on either side, and replaces the mirrors made since', async () => {
    const users = ['cid', 'dan'].map((name) => openlist.users.addForeign(name));
    const accounts = users.map(({ id, username }) => openlistAccount(id, username));
    await scene.run({ command: 'import openlist', args: { accounts, accept: [], write: true, silent: true } });
    const [cid, dan] = users.map(({ id }) => id) as [number, number];
    await scene.change(cid, { type: 'UpdateAccount', name: await scene.ports.names.claim('cedric') });
    await changeUser('dan', { username: 'daniel' });
    await scene.project();
    await rebuild();
    const planned = await adoptions();
    expect(planned).toEqual([
      { userId: cid, name: 'cid', accountId: cid, username: 'cedric', replaces: idOf('cedric') },
      { userId: dan, name: 'daniel', accountId: dan, username: 'dan', replaces: idOf('dan') },
    ]);
    expect(await adopt(planned)).toEqual(
      expect.arrayContaining([cid, dan].map((userId) => ({ userId, problem: null }))),
    );
    expect([idOf('cedric'), idOf('dan'), idOf('cid'), idOf('daniel')]).toEqual([cid, dan, undefined, undefined]);
    expect(await verify()).toMatchObject({ status: 0 });
  });

  it('an adoption never gives the user of somebody else to an account with a mirror', async () => {
    await rebuild();
    await changeUser('ann', { username: 'former' });
    openlist.users.addForeign('ann');
    expect(await adoptions()).toEqual([]);
    expect(await scene.run({ command: 'openlist adopt', args: { names: ['ann'] } })).toMatchObject({
      status: 2,
      out: [],
      err: [expect.stringMatching(/^OpenList has no user "ann" that Keyfold can adopt: .*\. Nothing was changed$/)],
    });
  });

  it('an erasure deletes what a late creation left in OpenList, and names OpenList until it is done', async () => {
    await rebuild();
    await scene.change(7, { type: 'DeleteAccount' });
    await scene.project();
    openlist.users.addForeign('late');
    await changeUser('late', { sso_id: 'keyfold-7-0123456789abcdef' });
    const erase = () => scene.run({ command: 'account erase', args: { id: 7, json: false } });
    await openlist.setFault('refuse');
    const left =
      'OpenList may still have a user of account 7, which is erased here. Run the command again with OpenList, or delete the user there';
    const problem = expect.stringMatching(/^OpenList is unavailable: /);
    for (let run = 0; run < 2; run++) expect(await erase()).toMatchObject({ status: 1, err: [problem, left] });
    await openlist.setFault(undefined);
    expect(await erase()).toMatchObject({ status: 0, err: [] });
    expect([idOf('ann'), idOf('late')]).toEqual([undefined, undefined]);
    expect(idOf('bea')).toBeDefined();
  });

  it('a rebuild takes over the user of a creation whose answer was lost, although the account was renamed since', async () => {
    const sealer = await scene.ports.sealer();
    const sealedPassword = sealer.seal('password', sealingContext.openlistUser(7));
    const command = { type: 'LinkOpenListUser', accountId: 7, userId: 0, sealedPassword } as const;
    const context = { actor: 'mirror', correlation: 'test' };
    await (await scene.ports.runner()).run(openlistUserStream(7), command, context);
    const { id } = openlist.users.addForeign('former');
    await changeUser('former', { sso_id: 'keyfold-7-0123456789abcdef' });
    expect(await rebuild()).toMatchObject({ status: 0, out: ['made 2 mirrors, deleted 0'] });
    expect(idOf('ann')).toBe(id);
  });

  it('the status counts mirrors, accounts without one, surplus and unknown users, and fails while an account is parked', async () => {
    const status = async (json: boolean) => {
      const ran = await scene.run({ command: 'openlist status', args: { json } });
      return { ...ran, out: ran.out.join('\n') };
    };
    openlist.users.addForeign('bea');
    openlist.users.addForeign('late');
    await rebuild();
    await changeUser('late', { sso_id: 'keyfold-7-0123456789abcdef' });
    const { status: exit, out } = await status(true);
    const counts = { version: 'v4.2.5', mirrored: 1, missing: 1, unknown: 1, surplus: 1 };
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ...counts, parked: [] });
    const slot = scene.ports.feed.slotOf('8');
    const parked = { slot, partition: '8', position: 1, error: 'the name is taken', at: 0, epoch: 1 };
    await scene.ports.parkedMirrors.park(parked);
    expect(await status(false)).toMatchObject({
      status: 1,
      out: expect.stringContaining('  account 8 since 1970-01-01T00:00:00.000Z: the name is taken'),
    });
  });

  it('the status no longer reports a parked account once its adopted mirror agrees, before the next retry', async () => {
    const status = async () => {
      const ran = await scene.run({ command: 'openlist status', args: { json: true } });
      return { status: ran.status, parked: (JSON.parse(ran.out[0]!) as { parked: object[] }).parked };
    };
    const ann = openlist.users.addForeign('ann');
    const slot = scene.ports.feed.slotOf('7');
    await scene.ports.parkedMirrors.park({ slot, partition: '7', position: 1, error: 'taken', at: 0, epoch: 1 });
    expect(await status()).toMatchObject({ status: 1, parked: [{ accountId: 7 }] });
    const [planned] = await adoptions();
    await adopt([planned!]);
    expect(await status()).toEqual({ status: 0, parked: [] });
    await post(`/api/admin/user/sshkey/delete?id=${openlist.keys.of(ann.id)[0]!.id}`);
    expect(await status()).toMatchObject({ status: 1, parked: [{ accountId: 7 }] });
  });
});

describe('without a usable OpenList', () => {
  const status = async (options: Parameters<typeof openScene>[0]) =>
    (await openScene(options)).run({ command: 'openlist status', args: { json: false } });

  it('a command says that it is down', async () => {
    await openlist.setFault('refuse');
    expect(await status(settings())).toEqual({
      status: 1,
      out: [],
      err: [
        expect.stringMatching(
          /^OpenList is unavailable: .*\. Check KEYFOLD_OPENLIST_URL and OpenList, then run the command again$/,
        ),
      ],
    });
  });

  it('a command says that the token is refused', async () => {
    expect(await status({ openlist: { url: openlist.url, token: 'wrong' } })).toMatchObject({
      status: 1,
      err: ['OpenList refuses KEYFOLD_OPENLIST_TOKEN. Set it to the static token of OpenList'],
    });
  });

  it('a command names the missing setting', async () => {
    expect(await status({})).toMatchObject({
      status: 78,
      err: [expect.stringContaining('KEYFOLD_OPENLIST_URL: is required for the commands of OpenList')],
    });
  });

  it('an erasure fails, and names what may be left and the missing setting', async () => {
    const scene = await openScene({});
    await scene.register(7, 'ann');
    const command = { type: 'LinkOpenListUser', accountId: 7, userId: 3, sealedPassword: 'sealed' } as const;
    await (await scene.ports.runner()).run(openlistUserStream(7), command, { actor: 'mirror', correlation: 'test' });
    await scene.change(7, { type: 'DeleteAccount' });
    await scene.project();
    for (let run = 0; run < 2; run++)
      expect(await scene.run({ command: 'account erase', args: { id: 7, json: false } })).toMatchObject({
        status: 78,
        err: [
          'OpenList may still have a user of account 7, which is erased here. Run the command again with OpenList, or delete the user there',
          expect.stringContaining('KEYFOLD_OPENLIST_URL: is required'),
        ],
      });
  });
});
