import { beforeEach, describe, expect, it } from 'vitest';
import { keyLine } from '../../../../../test/support/key-line.js';
import { openlistAccount } from '../../../testing/openlist-account.js';
import { operatorStores, type OperatorScene } from '../../../testing/operator-scene.js';
import { eraseAccountData } from '../../store/erasure/erase-account-data.js';
import type { ImportResult } from './import-accounts.js';
import type { SentAccount } from './import-plan.js';

const SECRET = 'PYCIP4HQ7QVN7SND2JXR62LZYL4C3QLW';

describe.each(operatorStores)('an import on %s', (_, open) => {
  let scene: OperatorScene;
  beforeEach(async () => {
    scene = await open();
  });

  async function run(accounts: readonly SentAccount[], { write = true, accept = [] as string[] } = {}) {
    const args = { accounts, accept, write, silent: false };
    const { status, out, err } = await scene.run({ command: 'import openlist', args });
    expect(status, err.join()).toBe(0);
    return out.map((line) => JSON.parse(line) as ImportResult);
  }
  const outcomes = (results: readonly ImportResult[]) => results.map(({ outcome, accountId }) => [outcome, accountId]);

  it('gives an account a new id if its own is in use, and finds it again under that id', async () => {
    await scene.register(7, 'somebody');
    const accounts = [openlistAccount(7, 'ann'), openlistAccount(8, 'bea')];
    expect(outcomes(await run(accounts, { write: false }))).toEqual([
      ['taken', null],
      ['taken', 8],
    ]);
    expect(outcomes(await run(accounts))).toEqual([
      ['taken', 9],
      ['taken', 8],
    ]);
    expect(outcomes(await run(accounts))).toEqual([
      ['unchanged', 9],
      ['unchanged', 8],
    ]);
  });

  it('gives nobody the keys of another, also without an account under the id', async () => {
    await scene.addSshKey(7, 'laptop');
    expect(outcomes(await run([openlistAccount(7, 'ann')]))).toEqual([['taken', 3]]);
  });

  it('never brings an erased account back, and gives nobody its id', async () => {
    await run([openlistAccount(7, 'ann')]);
    await scene.register(6, 'somebody');
    for (const id of [7, 6]) {
      await scene.change(id, { type: 'DeleteAccount' });
      await eraseAccountData(scene.ports, id, new AbortController().signal);
    }
    const results = await run([openlistAccount(7, 'ann'), openlistAccount(6, 'bea')], { accept: ['erased-here'] });
    expect(results).toMatchObject([
      { outcome: 'refused', accountId: null, problems: [{ reason: 'erased-here' }] },
      { outcome: 'taken', accountId: 8 },
    ]);
  });

  it('takes an account once, with its keys, if two imports run at once', async () => {
    await scene.register(7, 'somebody');
    const keys = [{ title: 'laptop', line: keyLine('laptop').line, addedAt: 1_000 }];
    const ann = openlistAccount(7, 'ann', { keys });
    const results = (await Promise.all([run([ann]), run([ann])])).flat();
    const taken = results.filter(({ outcome }) => outcome === 'taken');
    expect(taken).toHaveLength(1);
    for (const { outcome, problems } of results)
      expect([outcome, ...problems.map(({ reason }) => reason)].join(' ')).toMatch(
        /^(?:taken|unchanged|refused (?:changed-meanwhile|username-taken))$/,
      );
    const { accountId } = taken[0]!;
    const rings = [accountId!, accountId! === 8 ? 9 : 8].map((id) => ({ stream: `ssh-keys-${id}`, version: 0 }));
    expect((await scene.ports.store.readStreams(rings)).map(({ stream }) => stream)).toEqual([`ssh-keys-${accountId}`]);
  });

  it('gives the admin and the guest their ids of the first start, whatever these are in the file, once', async () => {
    await scene.startFirst();
    const guest = openlistAccount(1, 'guest', { role: 1, passwordMark: 'that of the guest' });
    const admin = openlistAccount(2, 'admin', { role: 2 });
    expect(outcomes(await run([guest, admin]))).toEqual([
      ['taken', 2],
      ['taken', 1],
    ]);
    expect(outcomes(await run([guest, admin]))).toEqual([
      ['unchanged', 2],
      ['unchanged', 1],
    ]);
    expect(await run([openlistAccount(5, 'root', { role: 2 })])).toMatchObject([
      { outcome: 'refused', problems: [{ reason: 'admin-or-guest-uncreatable' }] },
    ]);
  });

  it('tells apart what was changed here and what was changed on both sides', async () => {
    const [ann, bea] = [openlistAccount(7, 'ann', { secret: SECRET }), openlistAccount(8, 'bea', { secret: SECRET })];
    await run([ann, bea]);
    for (const id of [7, 8]) await scene.change(id, { type: 'DisableTwoFactor' });
    const results = await run([ann, { ...bea, secret: 'GR2DKFO5RYHKY5OI3FYKBRMMFFTMTX3K' }]);
    expect(outcomes(results)).toEqual([
      ['changed here', 7],
      ['changed on both sides', 8],
    ]);
  });

  it('keeps the ids of the admin and the guest free for them', async () => {
    expect(outcomes(await run([openlistAccount(1, 'ann')]))).toEqual([['taken', 3]]);
  });

  it.each<[string, Partial<SentAccount>]>([
    ['ssh-key-invalid', { keys: [{ title: 'weak', line: 'ssh-rsa AAAA', addedAt: null }] }],
    ['reads-more-than-before', { widened: 'some folders before, now all of /' }],
  ])('does not write an account with the problem %s until it is accepted', async (reason, differing) => {
    const ann = openlistAccount(7, 'ann', differing);
    expect(await run([ann])).toMatchObject([{ outcome: 'refused', problems: [{ reason }] }]);
    expect(await scene.ports.names.accountOf('ann')).toBeUndefined();
    await run([ann], { accept: [reason] });
    expect(await scene.ports.names.accountOf('ann')).toMatchObject({ accountId: 7 });
  });

  it('never lets a later account have a kept id', async () => {
    await run([openlistAccount(20, 'ann')]);
    const args = {
      username: 'new',
      password: 'pw',
      basePath: '/',
      permission: 0,
      disabled: false,
      ssoId: '',
      json: false,
    };
    await scene.run({ command: 'account create', args });
    expect(await scene.ports.names.accountOf('new')).toMatchObject({ accountId: 21 });
  });

  it('stores the account and its keys in one commit each, and adds the keys if it was killed in between', async () => {
    const keys = ['laptop', 'phone'].map((title) => ({ title, line: keyLine(title).line, addedAt: 1_000 }));
    const ann = openlistAccount(7, 'ann', { secret: SECRET, keys });
    await run([{ ...ann, keys: [] }]);
    await run([ann]);
    const streams = ['account-7', 'ssh-keys-7'].map((stream) => ({ stream, version: 0 }));
    const commits = await scene.ports.store.readStreams(streams);
    expect(
      commits.map(({ stream, causation, events }) => [stream, causation, ...events.map(({ type }) => type)]),
    ).toEqual(
      expect.arrayContaining([
        ['account-7', 'import:openlist:7', 'AccountRegistered', 'TwoFactorEnrolmentStarted', 'TwoFactorEnabled'],
        ['ssh-keys-7', 'import:openlist:7', 'SshKeyAdded', 'SshKeyAdded'],
      ]),
    );
    expect(commits).toHaveLength(2);
  });

  it('takes nothing of another site, whose accounts have the same ids, and reports a mere change of the name', async () => {
    await run([openlistAccount(7, 'ann'), openlistAccount(8, 'bea')]);
    const others = [openlistAccount(7, 'zoe', { passwordMark: 'other' }), openlistAccount(8, 'bea 2')];
    const results = await run(others);
    expect(results.map(({ outcome, problems }) => [outcome, problems[0]?.reason])).toEqual([
      ['refused', 'other-site'],
      ['refused', 'renamed-in-openlist'],
    ]);
    expect(await scene.ports.names.accountOf('zoe')).toBeUndefined();
  });

  it('is found again by its mapping, with the new id and the current name of each account', async () => {
    await scene.register(7, 'somebody');
    await run([openlistAccount(7, 'ann'), openlistAccount(8, 'bea')]);
    await run([openlistAccount(-3, 'cid')]);
    await scene.change(8, { type: 'DeleteAccount' });
    const { out } = await scene.run({ command: 'import mapping', args: { json: true } });
    expect(out.map((line) => JSON.parse(line) as { id: number }).toSorted((a, b) => a.id - b.id)).toEqual([
      { id: -3, accountId: 10, username: 'cid' },
      { id: 7, accountId: 9, username: 'ann' },
      { id: 8, accountId: 8, username: null },
    ]);
  });

  it('marks its commits as silent', async () => {
    const args = { accounts: [openlistAccount(7, 'ann')], accept: [], write: true, silent: true };
    await scene.run({ command: 'import openlist', args });
    const [commit] = await scene.ports.store.readStreams([{ stream: 'account-7', version: 0 }]);
    expect(commit).toMatchObject({ actor: 'import', causation: 'import:openlist:7:silent' });
  });

  it('leaves out the keys that an account cannot have in addition', async () => {
    const keys = [{ title: 'laptop', line: keyLine('laptop').line, addedAt: 1_000 }];
    const [result] = await run([openlistAccount(7, 'ann', { keys, keysLeftOut: 999 })], {
      accept: ['ssh-key-limit-reached'],
    });
    expect(result).toMatchObject({
      outcome: 'taken',
      keys: 1,
      problems: [{ reason: 'ssh-key-limit-reached', key: '999 more' }],
    });
  });

  it('refuses what another version sends', async () => {
    const accounts = [{ id: 7 }];
    const args = { accounts, accept: [], write: true, silent: false };
    expect(await scene.run({ command: 'import openlist', args })).toMatchObject({
      status: 2,
      err: ['another version of keyfold sent these accounts. Nothing was changed'],
    });
  });
});
