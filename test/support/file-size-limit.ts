import { execFileSync } from 'node:child_process';

/**
 * Bounds the size of every file that a running process writes, so that writes beyond it fail as on a full disk; `unlimited` takes
 * the bound away. Uses `prlimit` of util-linux.
 */
export function limitFileSize(pid: number, bytes: number | 'unlimited'): void {
  try {
    execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
  } catch (cause) {
    throw new Error('prlimit is missing or refused: install util-linux', { cause });
  }
}

/** The source of a program that runs another one whose files cannot grow from the start on. */
export const withoutRoom = (entry: string) => `
  import { execFileSync } from 'node:child_process';
  execFileSync('prlimit', ['--pid=' + process.pid, '--fsize=0:unlimited']);
  await import(${JSON.stringify(entry)});`;
