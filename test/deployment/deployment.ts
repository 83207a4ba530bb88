import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ADMIN_PASSWORD, adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { ComposeProject, type Scale } from '../support/compose/compose-project.js';
import { runName } from '../support/compose/namespaces.js';
import type { Visitor } from '../support/compose/visitor.js';
import type { KeyPair } from '../support/openssh/key-pair.js';
import { lookUpToken } from '../support/openssh/server-token.js';
import { sftp, type SftpLogin } from '../support/openssh/sftp.js';
import { until } from './until.js';

const run = promisify(execFile);
const PROJECT = resolve(import.meta.dirname, '../..');
/** The networks of test clients: those of the recordings and of `newAddress`. */
const CLIENT_NETWORKS = ['10.0.0.0/8', '172.20.0.0/16', '192.0.2.0/24'];
const PORT = 5244;
const SSHD_PORT = 2222;

/**
 * A deployment as an operator sets it up: a checkout with new secrets, and the compose file and that of sshd running.
 * Its clients are outside.
 */
export class Deployment {
  private constructor(
    readonly folder: string,
    readonly project: ComposeProject,
    readonly world: Visitor,
  ) {}

  static async start(scale: Scale): Promise<Deployment> {
    const folder = await mkdtemp(join(tmpdir(), `${runName}-`));
    await cp(join(PROJECT, 'docker-compose.yml'), join(folder, 'docker-compose.yml'));
    for (const name of ['haproxy', 'rabbitmq', 'openssh/compose.yml', 'make-secrets.sh'])
      await cp(join(PROJECT, 'deploy', name), join(folder, 'deploy', name), { recursive: true });
    const project = await ComposeProject.create(folder, 'deploy/openssh/compose.yml');
    const deployment = new Deployment(folder, project, await project.world(CLIENT_NETWORKS));
    try {
      await deployment.makeSecrets();
      // sshd needs a token, which the running gateways give.
      await project.up({ ...scale, sshd: 0 });
      await deployment.setAdminPassword();
      const token = await lookUpToken(await adminOf(await deployment.apiFrom()));
      await writeFile(join(folder, 'deploy/secrets/ssh-token'), `${token}\n`, { mode: 0o444 });
      await project.up(scale);
      return deployment;
    } catch (error) {
      const everything = await project.description();
      await deployment.dispose();
      throw new Error(`${(error as Error).message}\n\nAll containers:\n${everything}`, { cause: error });
    }
  }

  /** Sets the password that the recordings use, as the README describes. */
  private async setAdminPassword(): Promise<void> {
    const command = `echo '${ADMIN_PASSWORD}' | node run.mjs account set-password admin`;
    const { code, output } = (await this.project.containers('gateway')[0]?.exec(['sh', '-c', command])) ?? {};
    if (code !== 0) throw new Error(`cannot set the admin password: ${output}`);
  }

  /** Runs the command that creates the secrets. */
  async makeSecrets(): Promise<void> {
    await run('sh', ['deploy/make-secrets.sh'], { cwd: this.folder });
  }

  /** Returns a URL of the published port; its requests come from this address, or from any. */
  async urlFrom(address?: string): Promise<string> {
    const [host = ''] = this.project.addresses('balancer', 'world');
    return `http://127.0.0.1:${await this.world.tunnel({ host, port: PORT, from: address })}`;
  }

  async apiFrom(address?: string): Promise<ApiClient> {
    return new ApiClient(await this.urlFrom(address));
  }

  /** Makes all accounts known to sshd, with the commands of its compose file. Returns what the second one printed. */
  async makeUsers(): Promise<string> {
    const [[worker], [sshd]] = [this.project.containers('worker'), this.project.containers('sshd')];
    const listed = await worker?.exec(['node', 'run.mjs', 'account', 'list', '--json']);
    const command = 'keyfold-ssh users /var/lib/extrausers/passwd /srv/sftp 2901';
    const script = `printf %s "$1" | /usr/local/libexec/${command}`;
    const made = await sshd?.exec(['sh', '-c', script, 'sh', listed?.output ?? '']);
    if (made?.code !== 0) throw new Error(`cannot make users: ${listed?.output}${made?.output}`);
    return made.output;
  }

  /** Logs in to sshd from outside. */
  async logInToSftp(user: string, pair: KeyPair, commands?: string): Promise<SftpLogin> {
    const [host = ''] = this.project.addresses('sshd', 'world');
    return sftp(await this.world.tunnel({ host, port: SSHD_PORT }), user, pair, commands);
  }

  /** Returns the number of gateways in rotation, according to the load balancer's log. */
  async balanced(): Promise<number> {
    const [balancer] = this.project.containers('balancer');
    const changes = ((await balancer?.output()) ?? '').matchAll(
      /Server gateways\/(\S+)[^\n]*? is (UP|DOWN|going DOWN)/g,
    );
    const last = new Map([...changes].map(([, name, state]) => [name, state]));
    return [...last.values()].filter((state) => state === 'UP').length;
  }

  /** Waits until the load balancer uses every gateway. */
  async untilBalanced(): Promise<void> {
    const gateways = this.project.containers('gateway').length;
    await until(async () => (await this.balanced()) === gateways, `${gateways} gateways in rotation`);
  }

  async dispose(): Promise<void> {
    await this.project.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }
}
