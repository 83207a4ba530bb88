import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.js';
import { lastingPort } from '../lasting-port.js';
import { needs } from '../needs.js';
import { builtHelper } from '../openssh/ssh-helper.js';
import { newPrivateCa, type PrivateCa } from '../private-ca.js';
import { sshKeygen } from '../ssh-keygen.js';
import { shippedConfig, startCommand, type RcloneProtocol } from './rclone-unit.js';

await needs('Linux namespaces (run the tests as root)');

/** The Unix user of the service. */
const ID = 2_902;

/** A way from a server of rclone to Keyfold. `program` is the path of rclone. */
export type RcloneOptions = Readonly<{
  program: string;
  protocol: RcloneProtocol;
  addresses: string[];
  token: string;
  acceptKeys?: boolean;
}>;

/** `rclone serve` on a free port of 127.0.0.1 with the files of `deploy/rclone`, in a mount namespace of its own. */
export class RcloneServer {
  #log = '';

  private constructor(
    readonly protocol: RcloneProtocol,
    readonly port: number,
    private readonly folder: string,
    private readonly ca: PrivateCa,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
  }

  static async start(options: RcloneOptions): Promise<RcloneServer> {
    const { program, protocol } = options;
    const [folder, port, ca] = [await mkdtemp(join(tmpdir(), 'keyfold-rclone-')), await lastingPort(), newPrivateCa()];
    await chmod(folder, 0o755);
    await prepare(folder, ca, options);
    const words = startCommand(protocol).map((word) => (/^:\d+$/.test(word) ? `127.0.0.1:${port}` : word));
    const script = join(import.meta.dirname, 'rclone.sh');
    const command = ['--mount', 'sh', script, folder, String(ID), program, ...words];
    const child = spawn('unshare', command, { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    const server = new RcloneServer(protocol, port, folder, ca, child);
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(`rclone ended:\n${server.log}`);
      if (!/listening|started|Serving FTP/i.test(server.log)) throw new Error(`rclone is not ready:\n${server.log}`);
    });
    return server;
  }

  /** Returns the log of rclone and of the helper. */
  get log(): string {
    return this.#log;
  }

  /** Returns the path of a file or folder of the site. */
  site(...names: readonly string[]): string {
    return join(this.folder, 'site', ...names);
  }

  /** A folder for the clients, which lasts as long as the server. */
  get clients(): string {
    return join(this.folder, 'clients');
  }

  /** The certificate that clients must trust. */
  get authority(): string {
    return this.ca.authority;
  }

  /** Creates a folder of the site, which belongs to the user of the service, as the guide says. */
  async addFolder(name: string): Promise<void> {
    await mkdir(this.site(name), { mode: 0o700 });
    await chown(this.site(name), ID, ID);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = once(this.child, 'close');
      this.child.kill('SIGTERM');
      await ended;
    }
    running.delete(this.child);
    this.ca.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function prepare(folder: string, ca: PrivateCa, { addresses, token, acceptKeys }: RcloneOptions): Promise<void> {
  await builtHelper(folder);
  for (const name of ['site', 'clients']) await mkdir(join(folder, name));
  sshKeygen('-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'rclone_host_key'));
  await copyFile(ca.certificate, join(folder, 'rclone.crt'));
  await copyFile(ca.key, join(folder, 'rclone.key'));
  const lines = addresses.map((address) => `address ${address}`).join('\n');
  const config = shippedConfig().replace(/^address .*$/m, lines) + (acceptKeys ? '\naccept-keys yes\n' : '');
  await writeFile(join(folder, 'rclone.conf'), config);
  await writeFile(join(folder, 'rclone.token'), `${token}\n`);
}

const running = new Set<ChildProcess>();
// Leaves no server behind if the test run ends early.
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));
