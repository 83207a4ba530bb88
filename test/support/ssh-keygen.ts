import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyLine } from './key-line.js';
import { needs } from './needs.js';

await needs('ssh-keygen');

/** Runs ssh-keygen and returns its output. Throws if it is missing or fails. */
export function sshKeygen(...words: string[]): string {
  return execFileSync('ssh-keygen', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Returns the output of `ssh-keygen -lf` for a file, which may contain unreadable lines. */
export function listedKeys(file: string): string {
  return spawnSync('ssh-keygen', ['-lf', file], { encoding: 'utf8' }).stdout;
}

/** Generates a key pair of a type and size, such as `rsa` with 3072 bits, and returns its public half. */
export function generateKey(type: string, bits: number, comment: string): KeyLine {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-key-'));
  try {
    const file = join(folder, 'key');
    sshKeygen('-q', '-t', type, '-b', String(bits), '-N', '', '-C', comment, '-f', file);
    const [, fingerprint = ''] = listedKeys(`${file}.pub`).split(' ');
    return { line: readFileSync(`${file}.pub`, 'utf8').trim(), fingerprint };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
