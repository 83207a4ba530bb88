import { expect, it, vi } from 'vitest';
import { accountNamed, adminOf, createAccount, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { growth, readMetrics } from '../support/metrics.js';
import { sharedApp } from '../support/shared-app.js';
import { type ProcessEnv, StandaloneProcess } from '../support/standalone-process.js';

const tooLong = (what: string, bytes: number) => `400 the ${what} is too long: at most ${bytes} bytes`;
const text = (bytes: number) => 'ä'.repeat(bytes / 2);

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

it('accounts accept texts up to the limit, and longer ones are refused with the limit', async () => {
  const create = async (fields: object) =>
    (await admin.post('/api/admin/user/create', { username: 'full', password: 'full', role: 0, ...fields })).outcome;
  expect(await create({ username: `${text(4096)}a` })).toBe(tooLong('user name', 4096));
  expect(await create({ base_path: `/${text(4096)}` })).toBe(tooLong('base path', 4096));
  expect(await create({ sso_id: `${text(1024)}a` })).toBe(tooLong('sso_id', 1024));
  expect(await create({ username: text(4096), base_path: `/a${text(4094)}`, sso_id: text(1024) })).toBe('200 success');
});

it("a member's own texts can be as long as the limit", async () => {
  const member = await newMember(admin, 'growing');
  const update = async (fields: object) =>
    (await member.post('/api/me/update', { username: 'growing', ...fields })).outcome;
  expect(await update({ username: `${text(4096)}b` })).toBe(tooLong('user name', 4096));
  expect(await update({ sso_id: `${text(1024)}b` })).toBe(tooLong('sso_id', 1024));
  expect(await update({ sso_id: text(1024) })).toBe('200 success');
});

const HASHES = 'keyfold_password_hash_duration_seconds_count';

/** Returns the number of passwords hashed during the work. */
async function hashesOf(work: () => Promise<unknown>): Promise<number> {
  const managementUrl = await vi.waitFor(() => app.managementUrl, 30_000);
  const before = await readMetrics(managementUrl);
  await work();
  return growth(before, await readMetrics(managementUrl))[HASHES] ?? 0;
}

it('a refused profile costs no password hash', async () => {
  const member = await newMember(admin, 'member');
  const update = (username: string, password: string) => member.post('/api/me/update', { username, password });
  const refused = async () => expect((await update('admin', 'new')).outcome).toBe('500 user name already exists');
  expect(await hashesOf(refused)).toBe(0);
  expect(await hashesOf(() => update('x'.repeat(5_000), 'new'))).toBe(0);
  expect(await hashesOf(() => update('member', 'new'))).toBe(1);
});

it('an account that an administrator may not create or change costs no password hash', async () => {
  await newMember(admin, 'costly');
  const { id } = await accountNamed(admin, 'costly');
  const wanted = { username: 'costly', password: 'new', role: 0 };
  const update = (differing: object) => admin.post('/api/admin/user/update', { id, ...wanted, ...differing });
  for (const differing of [
    { username: 'admin' },
    { username: 'keyfold-nobody-1' },
    { role: 2 },
    { id: 999 },
    { base_path: 'x'.repeat(5_000) },
  ])
    expect(await hashesOf(() => update(differing)), JSON.stringify(differing).slice(0, 40)).toBe(0);
  const create = (differing: object) => admin.post('/api/admin/user/create', { ...wanted, ...differing });
  for (const differing of [{ role: 2 }, { username: 'x'.repeat(5_000) }, { username: 'y', sso_id: 'x'.repeat(5_000) }])
    expect(await hashesOf(() => create(differing)), JSON.stringify(differing).slice(0, 40)).toBe(0);
  expect(await hashesOf(() => update({}))).toBe(1);
});

const RESERVED = '500 this user name is reserved or was in use until recently, ask an administrator for it';
const TAKEN = '500 user name already exists';
const DONE = '200 success';

const rename = async (member: ApiClient, username: string) =>
  (await member.post('/api/me/update', { username })).outcome;
const give = async (id: number, username: string) =>
  (await admin.post('/api/admin/user/update', { id, username, role: 0 })).outcome;
/** Returns a session of the account created as `created` and now named `username`. */
const signedIn = (username: string, created: string) => admin.signedIn(username, `pw-${created}`);

it('a released name stays reserved for its owner, also after a restart', async () => {
  const other = await newMember(admin, 'other');
  expect(await rename(await newMember(admin, 'maria'), 'mary')).toBe(DONE);
  expect(await rename(other, 'maria')).toBe(RESERVED);
  await app.restart();
  expect(await rename(other, 'maria')).toBe(RESERVED);
  expect((await other.get('/api/me')).data()).toMatchObject({ username: 'other' });
  expect(await rename(await signedIn('mary', 'maria'), 'maria')).toBe(DONE);
  expect(await rename(other, 'maria')).toBe(TAKEN);
});

it('only an administrator can assign a system name', async () => {
  const member = await newMember(admin, 'climber');
  for (const name of ['root', 'Root', 'www-data']) expect(await rename(member, name), name).toBe(RESERVED);
  expect(await rename(member, 'admin')).toBe(TAKEN);
  expect(await rename(admin, 'root')).toBe(RESERVED);
  await newMember(admin, 'root');
  expect(await rename(await signedInAs(admin, 'root'), 'no-root')).toBe(DONE);
  expect(await give((await accountNamed(admin, 'climber')).id, 'root')).toBe(DONE);
});

it('nobody can give an account the name of a stand-in', async () => {
  const REFUSED = '500 user names must not begin with keyfold-nobody-';
  const member = await newMember(admin, 'impostor');
  const { id } = await accountNamed(admin, 'impostor');
  for (const name of ['keyfold-nobody-7', 'Keyfold-Nobody-300']) {
    expect(await rename(member, name)).toBe(REFUSED);
    expect(await give(id, name)).toBe(REFUSED);
    expect((await admin.post('/api/admin/user/create', { username: name, password: 'x', role: 0 })).outcome).toBe(
      REFUSED,
    );
  }
});

it('settings disable both', async () => {
  const env: ProcessEnv = { KEYFOLD_RELEASED_NAME_DAYS: '0', KEYFOLD_SYSTEM_NAMES: 'none' };
  const open = await StandaloneProcess.start(env);
  try {
    const owner = await adminOf(new ApiClient(open.baseUrl));
    expect(await rename(await newMember(owner, 'maria'), 'root')).toBe(DONE);
    expect(await rename(await newMember(owner, 'other'), 'maria')).toBe(DONE);
  } finally {
    await open.dispose();
  }
});

it('the list of accounts is searched by a part of the name, from either end', async () => {
  for (const name of ['needle-1', 'Needle-2', 'nail', 'needle-3']) await createAccount(admin, name);
  const list = async (query: string) => {
    const { content, total } = (await admin.get(`/api/admin/user/list?${query}`)).data<{
      content: { username: string }[];
      total: number;
    }>();
    return { names: content.map(({ username }) => username), total };
  };
  expect(await list('search=nEEdle')).toEqual({ names: ['needle-1', 'Needle-2', 'needle-3'], total: 3 });
  expect(await list('search=needle&sort=-id&per_page=2')).toEqual({ names: ['needle-3', 'Needle-2'], total: 3 });
  expect(await list('search=needle&page=2&per_page=2')).toEqual({ names: ['needle-3'], total: 3 });
  expect((await list('sort=-id&per_page=1')).names).toEqual(['needle-3']);
  expect((await list('sort=name&per_page=1')).names).toEqual(['admin']);
  expect(await list('search=' + 'x'.repeat(5_000))).toEqual({ names: [], total: 0 });
});

it('a search is not cut within a letter', async () => {
  const username = `${'x'.repeat(255)}😀`;
  await createAccount(admin, username);
  const { total } = (await admin.get(`/api/admin/user/list?search=${encodeURIComponent(username)}y`)).data<{
    total: number;
  }>();
  expect(total).toBe(1);
});
