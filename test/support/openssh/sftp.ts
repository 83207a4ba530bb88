import { execFile } from 'node:child_process';
import type { KeyPair } from './key-pair.js';

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
export function sftp(port: number, user: string, { file }: KeyPair, commands = 'pwd'): Promise<SftpLogin> {
  const since = performance.now();
  const words = ['-v', '-b', '-', '-F', '/dev/null', ...OPTIONS, '-i', file, '-P', String(port), `${user}@127.0.0.1`];
  return new Promise((resolve) => {
    const child = execFile('sftp', words, { timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ succeeded: error === null, output: stdout + stderr, milliseconds: performance.now() - since }),
    );
    child.stdin!.on('error', () => undefined).end(`${commands}\n`);
  });
}
