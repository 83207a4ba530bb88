import { newSealingKeyText } from '@keyfold/security';
import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidConfiguration } from './standalone.config.js';

/** Makes the folder of the embedded store, readable by its owner alone. */
export function prepareDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** The secrets that a first start generates and later starts read; each is a file with mode 0600. */
export const generatedTokenSecret = (folder: string) =>
  readOrGenerate(join(folder, 'token-secret'), () => randomBytes(48).toString('base64url'));
export const generatedSealingKey = (folder: string) =>
  readOrGenerate(join(folder, 'sealing-key'), () => newSealingKeyText('k1'));

/** The file appears with its whole content or not at all, so that a crash leaves no half secret. */
function readOrGenerate(path: string, generate: () => string): string {
  try {
    return readSecret(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${generate()}\n`, { mode: 0o600, flush: true });
  linkSync(draft, path);
  rmSync(draft);
  return readSecret(path);
}

/** Throws `InvalidConfiguration` for an empty file: nothing may be signed with an empty secret. */
function readSecret(path: string): string {
  const secret = readFileSync(path, 'utf8').trimEnd();
  if (secret === '') {
    throw new InvalidConfiguration([`${path} is empty: restore it from a backup, or remove it to have a new one made`]);
  }
  return secret;
}
