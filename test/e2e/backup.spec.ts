import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { ADMIN_PASSWORD, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold } from '../support/cli.js';
import { keyLine } from '../support/key-line.js';
import { StandaloneProcess } from '../support/standalone-process.js';

/** Creates a data folder with the secrets of another one. */
function newFolder(dataDir: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'keyfold-backup-')), 'data');
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true, force: true }));
  mkdirSync(folder, { mode: 0o700 });
  for (const secret of ['token-secret', 'sealing-key']) copyFileSync(join(dataDir, secret), join(folder, secret));
  return folder;
}

/** Does what `.backup` of `sqlite3` does and copies the secrets, as the operating guide describes. */
async function backUp(dataDir: string): Promise<string> {
  const folder = newFolder(dataDir);
  const database = new DatabaseSync(join(dataDir, 'keyfold.db'), { readOnly: true });
  await backup(database, join(folder, 'keyfold.db'), { rate: 8 });
  database.close();
  return folder;
}

it('a copy made beside a running process contains everything answered before, and a new process starts on it', async () => {
  const app = await StandaloneProcess.start();
  onTestFinished(() => app.dispose());
  const member = await newMember(await adminOf(new ApiClient(app.baseUrl)), 'member');
  const add = (title: string) => member.post('/api/me/sshkey/add', { title, key: keyLine(title).line });
  for (let index = 0; index < 20; index++) (await add(`before ${index}`)).data();
  let copying = true;
  const writing = (async () => {
    for (let index = 0; copying; index++) await add(`meanwhile ${index}`);
  })();
  const folder = await backUp(app.dataDir);
  copying = false;
  await writing;
  await app.stop();

  const restored = await StandaloneProcess.start({ KEYFOLD_DATA_DIR: folder });
  onTestFinished(() => restored.dispose());
  const api = new ApiClient(restored.baseUrl);
  expect((await api.logIn('admin', ADMIN_PASSWORD)).code).toBe(200);
  const { content } = (await api.as(member.token).get('/api/me/sshkey/list')).data<{ content: { title: string }[] }>();
  const titles = content.map(({ title }) => title);
  expect(titles.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, index) => `before ${index}`));
  // Changes during the copy are included up to one moment, without a gap.
  expect(titles.slice(20)).toEqual(titles.slice(20).map((_, index) => `meanwhile ${index}`));
  expect(await keyfold({ KEYFOLD_DATA_DIR: folder }, 'verify')).toMatchObject({ status: 0 });
});

it('after a clean stop, keyfold.db alone contains the whole log', async () => {
  const app = await StandaloneProcess.start();
  onTestFinished(() => app.dispose());
  const member = await newMember(await adminOf(new ApiClient(app.baseUrl)), 'member');
  expect(await app.stop()).toBe(0);
  expect(readdirSync(app.dataDir).filter((name) => /-(?:wal|shm)$/.test(name))).toEqual([]);

  const folder = newFolder(app.dataDir);
  copyFileSync(join(app.dataDir, 'keyfold.db'), join(folder, 'keyfold.db'));
  const restored = await StandaloneProcess.start({ KEYFOLD_DATA_DIR: folder });
  onTestFinished(() => restored.dispose());
  const api = new ApiClient(restored.baseUrl);
  expect((await api.as(member.token).get('/api/me')).data()).toMatchObject({ username: 'member' });
});
