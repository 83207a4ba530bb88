import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '../eventually.js';
import { lastingPort } from '../lasting-port.js';
import { needs } from '../needs.js';
import { sshKeygen } from '../ssh-keygen.js';
import { newKeyPair, type KeyPair } from './key-pair.js';
import { sftp, type SftpLogin } from './sftp.js';
import { builtHelper } from './ssh-helper.js';

await needs('sshd', 'libnss-extrausers', 'Linux namespaces (run the tests as root)');

const DEPLOY = resolve(import.meta.dirname, '../../../deploy/openssh');
const read = (path: string) => readFile(join(DEPLOY, path), 'utf8');

/** The way from an sshd to Keyfold, and its users. */
export type SshdOptions = Readonly<{
  addresses: readonly string[];
  token: string;
  cacheTime: string;
  timeout?: string;
  /** Users of the machine with a home folder of their own, in the group `keyfold-users`. */
  users: readonly string[];
  /** Accounts that share a Unix user, as `keyfold account list --json` shows them. */
  accounts?: readonly Readonly<{ username: string; basePath: string }>[];
}>;

/** Debian's sshd on a free port of 127.0.0.1 with the files of `deploy/openssh`, in a mount namespace of its own. */
export class Sshd {
  #log = '';

  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
    }
  }

  static async start(options: SshdOptions): Promise<Sshd> {
    const [folder, port] = [await mkdtemp(join(tmpdir(), 'keyfold-sshd-')), await lastingPort()];
    // sshd reads its files as other users, too.
    await chmod(folder, 0o755);
    await prepare(folder, port, options);
    const child = spawn('unshare', ['--mount', 'sh', join(import.meta.dirname, 'sshd.sh'), folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const sshd = new Sshd(port, child, folder);
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(`sshd ended:\n${sshd.log}`);
      if (!sshd.log.includes('Server listening')) throw new Error(`sshd is not listening:\n${sshd.log}`);
    });
    return sshd;
  }

  /** Returns the log of sshd. */
  get log(): string {
    return this.#log;
  }

  /** The path of the program that it runs. */
  get helper(): string {
    return join(this.folder, 'keyfold-ssh');
  }

  /** Generates a key pair, which lasts as long as sshd. */
  newKeyPair(): Promise<KeyPair> {
    return newKeyPair(this.folder);
  }

  logIn(user: string, pair: KeyPair, commands?: string): Promise<SftpLogin> {
    return sftp(this.port, user, pair, commands);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'close');
    if (this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      await ended;
    }
    running.delete(this.child);
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function prepare(folder: string, port: number, options: SshdOptions): Promise<void> {
  const { addresses, token, cacheTime, timeout = '3s', users, accounts = [] } = options;
  await builtHelper(folder);
  sshKeygen('-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'host_key'));
  const shipped = await read('ssh.conf');
  const config = shipped
    .replace(/^address .*$/m, addresses.map((address) => `address ${address}`).join('\n'))
    .replace(/^timeout .*$/m, `timeout ${timeout}`)
    .replace(/^cache-time .*$/m, `cache-time ${cacheTime}`);
  const machineUsers = users.map((name, index) => `${name}:*:${3_000 + index}:3000::/:/usr/sbin/nologin\n`);
  await cp(join(DEPLOY, 'sshd_config.d'), join(folder, 'sshd_config.d'), { recursive: true });
  const files: Record<string, string> = {
    'ssh.conf': config,
    'ssh.token': `${token}\n`,
    pam: await read('pam.d/keyfold'),
    users: `keyfold-ssh:*:2900:2900::/nonexistent:/usr/sbin/nologin\n${machineUsers.join('')}`,
    accounts: accounts.map((account) => `${JSON.stringify(account)}\n`).join(''),
    groups: 'keyfold-ssh:x:2900:\nkeyfold-sftp:x:2901:\nkeyfold-users:x:3000:\n',
    sshd_config: sshdConfig(folder, port),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

/** Debian's settings, and a private port. */
const sshdConfig = (folder: string, port: number) => `
Port ${port}
ListenAddress 127.0.0.1
HostKey ${folder}/host_key
PidFile none
LogLevel VERBOSE
UsePAM yes
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 100
Subsystem sftp internal-sftp
Include ${folder}/sshd_config.d/keyfold.conf
Include ${folder}/sshd_config.d/keyfold-sftp.conf
`;

const running = new Set<ChildProcess>();
// Leaves no server behind if the test run ends early.
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));
