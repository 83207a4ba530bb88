import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { needs } from '../needs.js';
import type { KeyPair } from './key-pair.js';

await needs('sftp');

/** How a login ended. `output` has the messages of the client. */
export type SftpLogin = Readonly<{ succeeded: boolean; output: string; milliseconds: number }>;

const OPTIONS = [
  'BatchMode=yes',
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'IdentitiesOnly=yes',
  'IdentityAgent=none',
  'PreferredAuthentications=publickey',
  'ConnectTimeout=60',
].flatMap((option) => ['-o', option]);

/** Logs in with OpenSSH's sftp and runs its commands, which have one line each. */
export const sftp = (port: number, user: string, pair: KeyPair, commands = 'pwd'): Promise<SftpLogin> =>
  runClient('sftp', ['-b', '-', '-P', String(port), ...optionsFor(user, pair), '127.0.0.1'], `${commands}\n`);

/** Logs in with OpenSSH's ssh, with these options and this command. Its input is empty. */
export const ssh = (
  port: number,
  user: string,
  pair: KeyPair,
  options: readonly string[],
  command: readonly string[],
) => runClient('ssh', ['-p', String(port), ...optionsFor(user, pair), ...options, '127.0.0.1', ...command], '');

const optionsFor = (user: string, { file }: KeyPair) => ['-v', '-F', configFor(user, file), ...OPTIONS, '-i', file];

/** Writes a configuration with the name of the user: on the command line, clients refuse some names before the server can. */
function configFor(user: string, file: string): string {
  const path = `${file}.${encodeURIComponent(user)}.config`;
  // Other clients may be reading it.
  if (!existsSync(path)) writeFileSync(path, `User "${user}"\n`);
  return path;
}

function runClient(program: string, words: readonly string[], input: string): Promise<SftpLogin> {
  const since = performance.now();
  return new Promise((resolve) => {
    const child = execFile(program, words, { timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ succeeded: error === null, output: stdout + stderr, milliseconds: performance.now() - since }),
    );
    child.stdin!.on('error', () => undefined).end(input);
  });
}
