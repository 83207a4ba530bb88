import { expect, it } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyLine, newKeyLine } from '../support/key-line.js';
import { sharedApp } from '../support/shared-app.js';

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

it('the keys of a member can take up to one mebibyte', async () => {
  const member = await newMember(admin, 'collector');
  const add = async (title: string, key: string) => (await member.post('/api/me/sshkey/add', { title, key })).outcome;
  expect(await add(`${text(1024)}a`, newKeyLine().line)).toBe(tooLong('title', 1024));
  expect(await add(text(1024), newKeyLine().line)).toBe('200 success');
  const outcomes: string[] = [];
  while (outcomes.length < 100 && outcomes.at(-1) !== '400 the list of keys is full, delete one first')
    outcomes.push(
      await add(`key ${outcomes.length}`, `${keyLine(`key ${outcomes.length}`).line}${'c'.repeat(15_000)}`),
    );
  expect(outcomes.slice(0, -1).every((outcome) => outcome === '200 success')).toBe(true);
  // 1,024 KiB in keys of 15 KB.
  expect(outcomes.length).toBe(70);
  const list = await member.get('/api/me/sshkey/list');
  expect(list.data<{ total: number }>().total).toBe(70);
});
