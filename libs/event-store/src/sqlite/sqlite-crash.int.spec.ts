import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { newCommit, unused } from '../../testing/new-commit.js';
import { openSqlite, temporaryFolder } from '../../testing/open-sqlite.js';
import { appendOne, readFeeds } from '../../testing/outcome.js';

const appendingProcess = fileURLToPath(new URL('../../testing/appending-process.mjs', import.meta.url));

it('every acknowledged commit survives repeated kills of the process', async () => {
  const path = join(temporaryFolder(), 'events.db');
  const acknowledged: string[] = [];
  for (const commits of [1, 150, 400]) {
    const lines = await appendInProcess(path, { bytes: 2_000, killAfter: commits });
    expect(lines.length).toBeGreaterThanOrEqual(commits);
    expect(lines.filter((line) => !line.startsWith('appended'))).toEqual([]);
    acknowledged.push(...lines);
    await expectWhole(path, acknowledged);
  }
});

it('every acknowledged commit survives a full disk, and appends succeed once there is space again', async () => {
  const path = join(temporaryFolder(), 'events.db');
  // Above the size at which the log is written back to the file, so that both come to the limit.
  const lines = await appendInProcess(path, { bytes: 10_000, maxFileBytes: 6 * 1024 * 1024 });
  const [acknowledged, refused] = [
    lines.filter((line) => line.startsWith('appended')),
    lines.filter((line) => !line.startsWith('appended')),
  ];
  expect(refused).toEqual(Array.from({ length: 8 }, () => 'refused StoreUnavailable'));
  expect(acknowledged.length).toBeGreaterThan(400);
  expect(statSync(path).size).toBeGreaterThan(1024 * 1024);
  await expectWhole(path, acknowledged);
});

/**
 * Runs a process that appends until an append fails, or until it is killed after `killAfter` acknowledged commits. Returns the lines that
 * it printed. The process cannot write a file longer than `maxFileBytes`, which simulates a full disk.
 */
async function appendInProcess(
  path: string,
  limits: { bytes: number; killAfter?: number; maxFileBytes?: number },
): Promise<string[]> {
  const { bytes, killAfter = Infinity, maxFileBytes } = limits;
  // The shell counts in blocks of 512 bytes.
  const limit = maxFileBytes === undefined ? 'unlimited' : maxFileBytes / 512;
  const command = [process.execPath, appendingProcess, path, String(bytes)];
  const child = spawn('sh', ['-c', `ulimit -f ${limit}; exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    if (lines.push(line) === killAfter) child.kill('SIGKILL');
  }
  expect(await closed, errors).toEqual(killAfter === Infinity ? [0, null] : [null, 'SIGKILL']);
  return lines;
}

/** The file is sound, has every commit of the `appended <command id>` lines, and takes new ones. */
async function expectWhole(path: string, lines: readonly string[]): Promise<void> {
  const database = new DatabaseSync(path);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(database.prepare('SELECT count(*) AS n FROM holds').get()).toEqual(
    database.prepare("SELECT count(*) AS n FROM commits WHERE stream LIKE 'account-%'").get(),
  );
  database.close();

  const open = openSqlite(path);
  const [feed = []] = await readFeeds(open, []);
  const stored = feed.map(({ command }) => `appended ${command.id}`);
  expect(lines.filter((line) => !stored.includes(line))).toEqual([]);
  for (const [stream, commits] of Map.groupBy(feed, (commit) => commit.stream)) {
    expect(
      commits.map(({ version }) => version),
      stream,
    ).toEqual(commits.map((_, index) => index + 1));
  }
  expect((await appendOne(open.store, newCommit(unused('probe'), 1))).position).toBe(feed.length + 1);
  await open.close();
}
