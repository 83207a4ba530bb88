import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ADMIN_PASSWORD, adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { failedStart } from '../support/failed-start.js';
import { limitFileSize, onFullDisk } from '../support/file-size-limit.js';
import { builtApp } from '../support/keyfold-process.js';
import { newKeyLine } from '../support/key-line.js';
import { logLines } from '../support/log-lines.js';
import { sharedApp } from '../support/shared-app.js';
import { filesOf } from '../support/stored-data.js';

const ROOM = 100_000;
const REQUEST = 'request-on-a-full-disk';

const answered: string[] = [];

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const member = (await newMember(admin, 'collector')).with({ 'x-request-id': REQUEST });

async function addKey(title: string): Promise<number> {
  const { line } = newKeyLine();
  const { code } = await member.post('/api/me/sshkey/add', { title, key: line });
  if (code === 200) answered.push(title);
  return code;
}

async function listedTitles(): Promise<string[]> {
  const { content } = (await member.get('/api/me/sshkey/list')).data<{ content: { title: string }[] }>();
  return content.map(({ title }) => title);
}

/** Adds keys until one is refused and returns the code of the refusal. */
async function addUntilRefused(name: string): Promise<number> {
  for (let index = 0; index < 500; index++) {
    const code = await addKey(`${name} ${index}`);
    if (code !== 200) return code;
  }
  throw new Error('the disk never filled up');
}

it('on a full disk, commands and logins get 503, reads work, and the process stays ready', async () => {
  limitFileSize(app.pid, Math.max(...filesOf(app.dataDir).map(({ bytes }) => bytes.length)) + ROOM);
  expect(await addUntilRefused('before')).toBe(503);
  expect(answered.length).toBeGreaterThan(0);
  const refused = await member.post('/api/me/sshkey/add', { title: 'x', key: newKeyLine().line });
  expect([refused.status, refused.code]).toEqual([503, 503]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  limitFileSize(app.pid, 1);
  expect((await api.logIn('admin', ADMIN_PASSWORD)).status).toBe(503);
  const readiness = await fetch(`${app.managementUrl}/health/ready`);
  expect([readiness.status, await readiness.json()]).toEqual([
    200,
    { status: 'ready', checks: { store: 'ok', projector: 'ok' } },
  ]);
  expect((await member.get('/api/me')).data()).toMatchObject({ username: 'collector' });
  expect((await admin.get('/api/admin/user/list')).code).toBe(200);
  expect((await api.get('/api/public/settings')).code).toBe(200);
  expect((await api.get('/ping')).text).toBe('pong');
  expect(await listedTitles()).toEqual(answered);
  expect(logLines(app.output())).toContainEqual(
    expect.objectContaining({
      level: 50,
      clientCorrelation: REQUEST,
      msg: expect.stringMatching(/^cannot write to .*keyfold\.db: /),
    }),
  );
});

it('the same process recovers once there is space again', async () => {
  limitFileSize(app.pid, 'unlimited');
  expect(await addKey('with room')).toBe(200);
  expect(await listedTitles()).toEqual(answered);
});

it('exactly the acknowledged keys exist after a crash on the full disk', async () => {
  limitFileSize(app.pid, Math.max(...filesOf(app.dataDir).map(({ bytes }) => bytes.length)) + ROOM);
  expect(await addUntilRefused('again')).toBe(503);
  await app.kill();
  await app.restart();
  expect(await listedTitles()).toEqual(answered);
  expect(await addKey('after the crash')).toBe(200);
  expect((await api.logIn('admin', ADMIN_PASSWORD)).code).toBe(200);
});

it('a start on a full disk fails with a message that says so', async () => {
  await app.stop();
  const entry = join(app.dataDir, '..', `${basename(app.dataDir)}.mjs`);
  await writeFile(entry, onFullDisk(builtApp('standalone')));
  onTestFinished(() => rm(entry));
  const { exitCode, output } = await failedStart({ KEYFOLD_DATA_DIR: app.dataDir }, [process.execPath, entry]);
  expect(exitCode).toBe(1);
  expect(output).toMatch(
    /^keyfold cannot start: cannot lock the data folder .*: disk I\/O error. Check that its disk has room/,
  );
  expect(output).not.toMatch(/^\s+at /m);
  await app.restart();
  expect(await listedTitles()).toEqual(answered);
});
