import { expect, it, vi } from 'vitest';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { growth, readMetrics } from '../support/metrics.js';
import { sharedApp } from '../support/shared-app.js';

const HASHES = 'keyfold_password_hash_duration_seconds_count';

const app = await sharedApp();
const managementUrl = await vi.waitFor(() => app.managementUrl, 5_000);
const admin = await adminOf(new ApiClient(app.baseUrl));

/** Returns the number of passwords hashed during the work. */
async function hashesOf(work: () => Promise<unknown>): Promise<number> {
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
  await newMember(admin, 'other');
  const { id } = await accountNamed(admin, 'other');
  const wanted = { username: 'other', password: 'new', role: 0 };
  const update = (differing: object) => admin.post('/api/admin/user/update', { id, ...wanted, ...differing });
  for (const differing of [{ username: 'admin' }, { role: 2 }, { id: 999 }, { base_path: 'x'.repeat(5_000) }])
    expect(await hashesOf(() => update(differing)), JSON.stringify(differing).slice(0, 40)).toBe(0);
  const create = (differing: object) => admin.post('/api/admin/user/create', { ...wanted, ...differing });
  for (const differing of [{ role: 2 }, { username: 'x'.repeat(5_000) }, { username: 'y', sso_id: 'x'.repeat(5_000) }])
    expect(await hashesOf(() => create(differing)), JSON.stringify(differing).slice(0, 40)).toBe(0);
  expect(await hashesOf(() => update({}))).toBe(1);
});
