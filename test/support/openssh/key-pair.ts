import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listedKeys, sshKeygen } from '../ssh-keygen.js';

/** A key pair in files. `line` is the public half as clients add it. */
export type KeyPair = Readonly<{ file: string; line: string; fingerprint: string }>;

/** Generates an Ed25519 key pair below a folder. */
export async function newKeyPair(folder: string): Promise<KeyPair> {
  const file = join(await mkdtemp(join(folder, 'pair-')), 'id');
  sshKeygen('-q', '-t', 'ed25519', '-N', '', '-C', 'a key', '-f', file);
  const [, fingerprint = ''] = listedKeys(`${file}.pub`).split(' ');
  return { file, line: (await readFile(`${file}.pub`, 'utf8')).trim(), fingerprint };
}

/** Returns the pair without its private half: a client can offer the key, but not sign with it. */
export async function withoutPrivateHalf(pair: KeyPair): Promise<KeyPair> {
  await rm(pair.file);
  // ssh skips an identity without a file.
  return { ...pair, file: `${pair.file}.pub` };
}
