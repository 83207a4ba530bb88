import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { accountNamed, adminOf, newMember } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { logLines } from '../support/log-lines.js';
import { sharedApp } from '../support/shared-app.js';
import { storedCommits } from '../support/stored-data.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const member = await newMember(admin, 'reader');

/** Locks a database of the service, like another program. */
function lock(name: string): DatabaseSync {
  const database = new DatabaseSync(join(app.dataDir, name), { timeout: 5_000 });
  database.exec('BEGIN IMMEDIATE');
  return database;
}

const create = (username: string) => admin.post('/api/admin/user/create', { username, password: 'x' });
const isListed = async (username: string) => accountNamed(admin, username).then(Boolean, () => false);
const reads: [string, () => Promise<Answer>][] = [
  ['the profile', () => member.get('/api/me')],
  ['keys', () => member.get('/api/me/sshkey/list')],
  ['accounts', () => admin.get('/api/admin/user/list')],
  ['public settings', () => api.get('/api/public/settings')],
];

it('while another program locks the store, commands get 503 in time and reads work', async () => {
  const before = storedCommits(app.dataDir);
  const locker = lock('keyfold.db');
  try {
    const begun = Date.now();
    const commands = ['first', 'second', 'third'].map(create);
    let open = commands.length;
    for (const command of commands) void command.finally(() => open--);
    let round = 0;
    for (; open > 0; round++) {
      for (const [, read] of reads) expect((await read()).outcome).toBe('200 success');
      expect((await api.get('/ping')).text).toBe('pong');
    }
    expect(round).toBeGreaterThan(10);
    for (const { status, code, headers } of await Promise.all(commands)) {
      expect([status, code]).toEqual([503, 503]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(Date.now() - begun).toBeLessThan(15_000);
  } finally {
    locker.close();
  }
  expect(storedCommits(app.dataDir)).toEqual(before);
  const reported = () => logLines(app.output()).filter(({ level }) => level === 50);
  await expect
    .poll(() => reported().map(({ msg }) => msg))
    .toContainEqual(expect.stringMatching(/keyfold\.db: database is locked$/));
});

it('after the lock is released the same commands work, and the failed ones left nothing', async () => {
  expect(await isListed('first')).toBe(false);
  expect((await create('first')).outcome).toBe('200 success');
  expect(await isListed('first')).toBe(true);
  await app.restart();
  expect(await isListed('first')).toBe(true);
  expect(await isListed('second')).toBe(false);
});

it('while another program locks the read models, commands are stored and the lists catch up later', async () => {
  const locker = lock('views.db');
  try {
    expect((await create('late')).outcome).toBe('200 success');
    for (const [, read] of reads) expect((await read()).outcome).toBe('200 success');
  } finally {
    locker.close();
  }
  await expect.poll(() => isListed('late'), { timeout: 10_000 }).toBe(true);
});
