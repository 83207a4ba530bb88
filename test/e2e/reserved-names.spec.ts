import { expect, it } from 'vitest';
import { accountNamed, adminOf, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';
import { StandaloneProcess, type ProcessEnv } from '../support/standalone-process.js';

const RESERVED = '500 this user name is reserved or was in use until recently, ask an administrator for it';
const TAKEN = '500 user name already exists';
const DONE = '200 success';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

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

it('the name of a deleted account stays reserved, and an administrator can assign it', async () => {
  await newMember(admin, 'leaver');
  const heir = await newMember(admin, 'heir');
  const { id } = await accountNamed(admin, 'leaver');
  await admin.post(`/api/admin/user/delete?id=${id}`);
  expect(await rename(heir, 'leaver')).toBe(RESERVED);
  expect(await give((await accountNamed(admin, 'heir')).id, 'leaver')).toBe(DONE);
  expect(await rename(await signedIn('leaver', 'heir'), 'heir')).toBe(DONE);
  await newMember(admin, 'leaver');
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
