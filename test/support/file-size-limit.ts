import { execFileSync } from 'node:child_process';
import type { CommandLine } from './keyfold-process.js';
import { needs } from './needs.js';

await needs('prlimit');

/**
 * Limits the size of files that a running process writes, so that larger writes fail as on a full disk. `unlimited`
 * removes the limit. Requires `prlimit` of util-linux.
 */
export function limitFileSize(pid: number, bytes: number | 'unlimited'): void {
  try {
    execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
  } catch (cause) {
    throw new Error('prlimit is missing or refused: install util-linux', { cause });
  }
}

/** Returns a command line that runs another one with such a limit. */
export const withFileSize = (bytes: number, command: CommandLine): CommandLine => [
  'prlimit',
  `--fsize=${bytes}:unlimited`,
  ...command,
];

/** Returns the source of a program that runs `entry` with a file size limit of zero. */
export const onFullDisk = (entry: string) => `
  import { execFileSync } from 'node:child_process';
  execFileSync('prlimit', ['--pid=' + process.pid, '--fsize=0:unlimited']);
  await import(${JSON.stringify(entry)});`;
