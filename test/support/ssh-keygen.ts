import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key that `ssh-keygen` made: its public line, and the fingerprint that `ssh-keygen -lf` prints. */
export interface GeneratedKey {
  line: string;
  fingerprint: string;
}

/** Makes a key pair of a type and size, such as `rsa` with 3072 bits, and keeps its public half. */
export function generateKey(type: string, bits: number, comment: string): GeneratedKey {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-key-'));
  try {
    const file = join(folder, 'key');
    sshKeygen('-q', '-t', type, '-b', String(bits), '-N', '', '-C', comment, '-f', file);
    const [, fingerprint = ''] = sshKeygen('-lf', `${file}.pub`).split(' ');
    return { line: readFileSync(`${file}.pub`, 'utf8').trim(), fingerprint };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Throws a sentence that says what to install where ssh-keygen is missing. */
export function requireSshKeygen(): void {
  generateKey('ed25519', 256, 'probe');
}

function sshKeygen(...parameters: string[]): string {
  try {
    return execFileSync('ssh-keygen', parameters, { encoding: 'utf8' });
  } catch (cause) {
    throw new Error('ssh-keygen is missing or refused: install it (apt-get install openssh-client)', { cause });
  }
}
