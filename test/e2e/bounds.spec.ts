import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyLine, newKeyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const tooLong = (what: string, bytes: number) => `400 the ${what} is too long: at most ${bytes} bytes`;
const text = (bytes: number) => 'ä'.repeat(bytes / 2);

let app: StandaloneProcess;
let admin: ApiClient;

beforeAll(async () => {
  app = await StandaloneProcess.start();
  admin = await adminOf(new ApiClient(app.baseUrl));
});
afterAll(() => app?.dispose());

it('an account may fill its texts to the bound, and what is longer is refused with the bound', async () => {
  const create = async (fields: object) =>
    (await admin.post('/api/admin/user/create', { username: 'full', password: 'full', role: 0, ...fields })).outcome;
  expect(await create({ username: `${text(4096)}a` })).toBe(tooLong('user name', 4096));
  expect(await create({ base_path: `/${text(4096)}` })).toBe(tooLong('base path', 4096));
  expect(await create({ sso_id: `${text(1024)}a` })).toBe(tooLong('sso_id', 1024));
  expect(await create({ username: text(4096), base_path: `/a${text(4094)}`, sso_id: text(1024) })).toBe('200 success');
});

it('a member may fill its own texts to the bound', async () => {
  const member = await newMember(admin, 'growing');
  const update = async (fields: object) =>
    (await member.post('/api/me/update', { username: 'growing', ...fields })).outcome;
  expect(await update({ username: `${text(4096)}b` })).toBe(tooLong('user name', 4096));
  expect(await update({ sso_id: `${text(1024)}b` })).toBe(tooLong('sso_id', 1024));
  expect(await update({ sso_id: text(1024) })).toBe('200 success');
});

it('the keys of a member have a mebibyte in all', async () => {
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
  // 1,024 KiB in pieces of 15 KB.
  expect(outcomes.length).toBe(70);
  const list = await member.get('/api/me/sshkey/list');
  expect(list.data<{ total: number }>().total).toBe(70);
});
