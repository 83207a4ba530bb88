import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { FolderInUse, FolderLock } from './folder-lock.js';
import { temporaryFolder } from '../../testing/open-sqlite.js';

type Process = ChildProcessByStdio<null, Readable, null>;

it('a folder in use by another process is refused, and the message says what to do', async () => {
  const folder = temporaryFolder();
  await holdsLock(lockInProcess(folder));
  expect(() => new FolderLock(folder)).toThrow(FolderInUse);
  expect(() => new FolderLock(folder)).toThrow(
    `the data folder ${folder} is in use by another process, which is starting or stopping, or is a keyfold command. Wait for it or stop it, or set KEYFOLD_DATA_DIR to another folder`,
  );
});

it('a lock ends with its process, even if that is killed', async () => {
  const folder = temporaryFolder();
  const other = lockInProcess(folder);
  await holdsLock(other);
  other.kill('SIGKILL');
  await once(other, 'exit');
  const lock = new FolderLock(folder);
  lock.release();
});

it('a lock keeps other processes out until it is released', async () => {
  const folder = temporaryFolder();
  const lock = new FolderLock(folder);
  expect(await text(lockInProcess(folder).stdout)).toBe('FolderInUse');
  lock.release();
  await holdsLock(lockInProcess(folder));
});

it('a lock can be released twice, and taken again in the same process only after that', () => {
  const folder = temporaryFolder();
  const lock = new FolderLock(folder);
  expect(() => new FolderLock(folder)).toThrow(FolderInUse);
  lock.release();
  lock.release();
  new FolderLock(folder).release();
});

it('locks of different folders are independent', () => {
  const locks = [new FolderLock(temporaryFolder()), new FolderLock(temporaryFolder())];
  for (const lock of locks) lock.release();
});

it('a folder that cannot be locked for another reason is not reported as in use', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock'), 'no database\n'.repeat(500));
  const refused = (path: string, reason: string) =>
    expect(() => new FolderLock(path)).toThrow(`cannot lock the data folder ${path}: ${reason}. Check that its disk`);
  refused(folder, 'file is not a database');
  refused(join(folder, 'nowhere'), 'unable to open database file');
});

/** Starts a process that takes the lock, prints `locked` and stays, or prints the name of the error and ends. */
function lockInProcess(folder: string): Process {
  const script = `
    import(process.argv[1]).then(({ FolderLock }) => {
      globalThis.lock = new FolderLock(process.argv[2]);
      process.stdout.write('locked');
      setInterval(() => {}, 1000);
    }).catch((error) => process.stdout.write(error.name));`;
  const source = new URL('./folder-lock.ts', import.meta.url).href;
  const other = spawn(process.execPath, ['-e', script, source, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void other.kill('SIGKILL'));
  return other;
}

async function holdsLock(other: Process): Promise<void> {
  const [printed] = (await once(other.stdout, 'data')) as [Buffer];
  expect(printed.toString()).toBe('locked');
}
