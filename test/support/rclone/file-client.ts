import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { needs } from '../needs.js';
import type { KeyPair } from '../openssh/key-pair.js';
import type { RcloneServer } from './rclone-server.js';

await needs('sftp', 'curl');

/** How a request of a client ended. `output` has all its messages. */
export type Outcome = Readonly<{ succeeded: boolean; output: string; milliseconds: number }>;

/** A user and a secret. `from` is the address of a client of WebDAV or FTP. `offered` is a key that the client of SFTP offers, but cannot prove. */
export type Credentials = Readonly<
  { user: string; password: string; from?: string; offered?: KeyPair } | { user: string; key: KeyPair }
>;

/** Transfers files from and to a server. Each call logs in. */
export type FileClient = Readonly<{
  list: (login: Credentials) => Promise<Outcome>;
  /** Sends a text as a file. */
  put: (login: Credentials, path: string, text: string) => Promise<Outcome>;
  /** `output` has the content of the file. */
  get: (login: Credentials, path: string) => Promise<Outcome>;
  remove: (login: Credentials, path: string) => Promise<Outcome>;
}>;

/** Returns a client for the protocol of a server: OpenSSH's sftp, or curl. */
export function clientOf(server: RcloneServer): FileClient {
  const textFile = async (text: string) => {
    const file = join(await mkdtemp(join(server.clients, 'put-')), 'text');
    await writeFile(file, text);
    return file;
  };
  if (server.protocol === 'sftp') {
    const run = (login: Credentials, command: string) => sftpCommand(server, login, command);
    return {
      list: (login) => run(login, 'ls -la'),
      put: async (login, path, text) => run(login, `put ${await textFile(text)} "${path}"`),
      get: async (login, path) => {
        const file = await textFile('');
        const outcome = await run(login, `get "${path}" ${file}`);
        return { ...outcome, output: outcome.output + (await readFile(file, 'utf8')) };
      },
      remove: (login, path) => run(login, `rm "${path}"`),
    };
  }
  const [scheme, list, remove] =
    server.protocol === 'ftp'
      ? ['ftps', [], (path: string) => ['/', '--quote', `DELE ${path}`]]
      : [
          'https',
          ['--request', 'PROPFIND', '--header', 'Depth: 1'],
          (path: string) => [`/${path}`, '--request', 'DELETE'],
        ];
  const run = (login: Credentials, path: string, ...words: string[]) =>
    curl(server, login, `${scheme}://127.0.0.1:${server.port}${path}`, words);
  return {
    list: (login) => run(login, '/', ...list),
    put: async (login, path, text) => run(login, `/${path}`, '--upload-file', await textFile(text)),
    get: (login, path) => run(login, `/${path}`),
    remove: (login, path) => run(login, ...(remove(path) as [string, ...string[]])),
  };
}

function curl({ authority }: RcloneServer, login: Credentials, url: string, words: readonly string[]) {
  if (!('password' in login)) throw new Error('only SFTP has keys');
  const user = ['--user', `${login.user}:${login.password}`, '--interface', login.from ?? '127.0.0.1'];
  // rclone's FTP server does not close the connection of a refused upload.
  const limits = ['--silent', '--show-error', '--fail', '--max-time', '20', '--path-as-is', '--cacert', authority];
  return run('curl', [...limits, ...user, ...words, url]);
}

const SFTP_OPTIONS = [
  'BatchMode=no',
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'LogLevel=ERROR',
  'IdentitiesOnly=yes',
  'IdentityAgent=none',
  'NumberOfPasswordPrompts=1',
].flatMap((option) => ['-o', option]);

async function sftpCommand(server: RcloneServer, login: Credentials, command: string): Promise<Outcome> {
  const askPassword = join(server.clients, 'ask-password');
  await writeFile(askPassword, '#!/bin/sh\nprintf %s "$ASKED_PASSWORD"\n');
  await chmod(askPassword, 0o700);
  const [method, identity, password] =
    'key' in login
      ? ['publickey', ['-i', login.key.file], '']
      : login.offered
        ? ['publickey,password', ['-i', await publicHalf(server, login.offered)], login.password]
        : ['password', [], login.password];
  const env = { ...process.env, SSH_ASKPASS: askPassword, SSH_ASKPASS_REQUIRE: 'force', ASKED_PASSWORD: password };
  const options = [...SFTP_OPTIONS, '-o', `PreferredAuthentications=${method}`, ...identity];
  const words = ['-F', '/dev/null', ...options, '-b', '-', '-P', String(server.port), `${login.user}@127.0.0.1`];
  return run('sftp', words, env, `${command}\n`);
}

/** Writes a file with the public half of a key alone. */
async function publicHalf(server: RcloneServer, { line }: KeyPair): Promise<string> {
  const file = join(await mkdtemp(join(server.clients, 'offered-')), 'key.pub');
  await writeFile(file, `${line}\n`, { mode: 0o600 });
  return file;
}

function run(program: string, words: readonly string[], env = process.env, input = ''): Promise<Outcome> {
  const since = performance.now();
  return new Promise((resolve) => {
    const child = execFile(program, words, { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ succeeded: error === null, output: stdout + stderr, milliseconds: performance.now() - since }),
    );
    child.stdin!.on('error', () => undefined).end(input);
  });
}
