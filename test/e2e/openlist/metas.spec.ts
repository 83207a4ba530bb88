import { describe, expect, it } from 'vitest';
import { createAccount } from '../../support/accounts.js';
import { openListScene } from '../../support/openlist/scene.js';

const { double, api, admin } = await openListScene();

type Listed = Readonly<{ content: readonly Readonly<{ id: number; read_users: number[] }>[] }>;
const metas = async () => (await admin.get('/api/admin/meta/list')).data<Listed>().content;

describe('the users of a meta', () => {
  it('are accounts here and their users there, and users that only OpenList has stay', async () => {
    // From here on, ids of accounts and users differ.
    const { id: only } = double.users.addForeign('only there');
    const { id: ann } = await createAccount(admin, 'ann', { password: 'pw-ann' });
    const text = { readme: 'x'.repeat(100_000) };
    (await admin.post('/api/admin/meta/create', { path: '/a', read_users: [ann, 1, 2], ...text })).data();
    const { id } = (await metas())[0]!;
    const user = double.users.named('ann')!.id;
    expect(user).not.toBe(ann);
    expect(double.metas.withId(id).read_users).toEqual([user, double.users.admin.id, double.users.guest.id]);

    double.metas.change(id, { read_users: [only, user] });
    const shown = (await admin.get(`/api/admin/meta/get?id=${id}`)).data<{ read_users: number[] }>();
    expect(shown.read_users).toEqual([ann]);
    expect((await metas())[0]!.read_users).toEqual([ann]);
    (await admin.post('/api/admin/meta/update', { ...shown, id, read_users: [] })).data();
    expect(double.metas.withId(id).read_users).toEqual([only]);
  });

  it('must be accounts that exist', async () => {
    const answer = await admin.post('/api/admin/meta/create', { path: '/b', write_users: [999_999] });
    expect(answer.outcome).toContain('400 nothing was saved: account 999999');
    expect(await metas()).toHaveLength(1);
  });

  it('are not for general accounts', async () => {
    const ann = await api.signedIn('ann', 'pw-ann');
    expect((await ann.post('/api/admin/meta/create', { read_users: [999_999] })).outcome).toBe(
      '403 You are not an admin',
    );
    expect((await ann.get('/api/admin/meta/list')).outcome).toBe('403 You are not an admin');
  });
});
