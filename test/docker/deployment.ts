import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { inject } from 'vitest';
import { ADMIN_PASSWORD, adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { removeDigests } from '../support/docker/stand-ins.js';
import { lastingPort } from '../support/lasting-port.js';
import { commandOnTerminal } from '../support/terminal.js';
import { Clients } from './clients.js';
import { commandsOf } from './compose-commands.js';
import { engineEnvironment } from './engine.js';
import { until } from './until.js';

const run = promisify(execFile);
const PROJECT = resolve(import.meta.dirname, '../..');
/** The parts of a checkout that the image and the compose files need, and all that name official images. */
const FOLDERS = ['.github', 'apps', 'deploy', 'libs', 'scripts'];
const FILES = [
  '.dockerignore',
  '.npmrc',
  'LICENSE',
  'docker-compose.yml',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];

type Health = Readonly<{ Status: string; FailingStreak: number; Log?: readonly unknown[] }>;
/** A container as `docker inspect` shows it. */
export type Container = Readonly<{
  Id: string;
  Name: string;
  Image: string;
  State: Readonly<{ Running: boolean; ExitCode: number; Pid: number; StartedAt: string; Health?: Health }>;
  Config: Readonly<{ Labels: Record<string, string>; Image: string }>;
  NetworkSettings: Readonly<{ Networks: Record<string, { IPAddress: string }>; Ports: Record<string, unknown> }>;
}>;
/** Returns the service of a container. */
export const serviceOf = ({ Config }: Pick<Container, 'Config'>) => Config.Labels['com.docker.compose.service'] ?? '';

export type Output = Readonly<{ code: number; output: string }>;

/** A deployment as an operator sets it up: a checkout with the commands of the guide. Its clients are outside. */
export class Deployment {
  #clients: Promise<Clients> | undefined;

  private constructor(
    readonly folder: string,
    /** The name of the project: a real deployment on the same engine has another one. */
    readonly project: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** Makes a checkout of these sources or of a commit, without starting anything. It has free ports and a network of its own. */
  static async create(project: string, front = '172.16.53', commit?: string): Promise<Deployment> {
    const folder = await mkdtemp(join(tmpdir(), 'keyfold-site-'));
    const [port, sftp, tls] = [await lastingPort(), await lastingPort(), await lastingPort()].map(String);
    const deployment = new Deployment(folder, project, {
      COMPOSE_PROJECT_NAME: project,
      KEYFOLD_FRONT: front,
      KEYFOLD_PORT: port!,
      KEYFOLD_SFTP_PORT: sftp!,
      KEYFOLD_TLS_PORT: tls!,
    });
    await deployment.checkOut(commit);
    // Of a killed run.
    await deployment.removeEverything();
    return deployment;
  }

  /** Creates a deployment and runs the commands of the guide, with the password that the recordings use. */
  static async start(project = 'keyfold-tests', front?: string, commit?: string): Promise<Deployment> {
    const deployment = await Deployment.create(project, front, commit);
    try {
      const [secrets = '', up = '', password = ''] = commandsOf('Start');
      await deployment.expectSuccess('sh', '-c', secrets);
      await deployment.expectSuccess('sh', '-c', up);
      await deployment.setPassword(password);
      return deployment;
    } catch (error) {
      const logs = await deployment.compose('logs', '--tail', '30');
      await deployment.dispose();
      throw new Error(`${(error as Error).message}\n\nAll containers:\n${logs.output}`, { cause: error });
    }
  }

  /** Replaces the files of the checkout with these sources, or with those of a commit of its history. */
  async checkOut(commit?: string): Promise<void> {
    const remove = (name: string) => rm(join(this.folder, name), { recursive: true, force: true });
    for (const name of ['apps', 'libs', 'scripts']) await remove(name);
    const archive = `git -C '${PROJECT}' archive --output="$PWD/commit.tar" ${commit} && tar -xf commit.tar && rm commit.tar`;
    // A copy of the sources without their history has no other commit.
    if (commit && existsSync(join(PROJECT, '.git'))) await this.expectSuccess('sh', '-c', archive);
    else {
      const filter = (source: string) => source !== join(PROJECT, 'deploy/secrets');
      for (const name of [...FOLDERS, ...FILES])
        await cp(join(PROJECT, name), join(this.folder, name), { recursive: true, filter });
    }
    if (inject('standIns')) removeDigests(this.folder);
  }

  /** Runs a program in the checkout, with the environment of an operator. */
  async command(program: string, ...words: readonly string[]): Promise<Output> {
    return this.commandWith({}, program, ...words);
  }

  async commandWith(env: NodeJS.ProcessEnv, program: string, ...words: readonly string[]): Promise<Output> {
    const child = spawn(program, words, {
      cwd: this.folder,
      env: { ...this.environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const code = await new Promise<number>((ended, failed) => {
      child.once('error', failed);
      child.once('close', (status) => ended(status ?? -1));
    });
    return { code, output };
  }

  /** Runs a program in the checkout. Returns its output. Throws if it fails. */
  async expectSuccess(program: string, ...words: readonly string[]): Promise<string> {
    const { code, output } = await this.command(program, ...words);
    if (code !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${code}:\n${output}`);
    return output;
  }

  compose(...words: readonly string[]): Promise<Output> {
    return this.command('docker', 'compose', ...words);
  }

  /** Repeats the command of the guide with these settings in `.env`, and waits until the balancer uses every gateway. */
  async up(settings: Readonly<Record<string, string | number>> = {}): Promise<void> {
    await this.set(settings);
    await this.expectSuccess('docker', 'compose', 'up', '--detach', '--wait');
    await this.untilBalanced();
  }

  /** Changes settings in `.env`. */
  async set(settings: Readonly<Record<string, string | number>>): Promise<void> {
    const file = join(this.folder, '.env');
    let text = await readFile(file, 'utf8');
    for (const [name, value] of Object.entries(settings))
      text = text.replace(new RegExp(`^${name}=.*$`, 'm'), `${name}=${value}`);
    await writeFile(file, text);
  }

  /** Returns the containers of a service, or of all, in the order of their names. */
  async containers(...services: readonly string[]): Promise<Container[]> {
    const { output } = await this.compose('ps', '--all', '--quiet', ...services);
    const ids = output.split('\n').filter((line) => /^[0-9a-f]{64}$/.test(line));
    if (ids.length === 0) return [];
    const found = await this.expectSuccess('docker', 'inspect', ...ids);
    return (JSON.parse(found) as Container[]).toSorted((one, other) => (one.Name < other.Name ? -1 : 1));
  }

  async container(service: string): Promise<Container> {
    const [first] = await this.containers(service);
    if (!first) throw new Error(`${service} has no container`);
    return first;
  }

  /** Returns the addresses of a service in a network, which this machine reaches as the host of the containers. */
  async addresses(service: string, network: string): Promise<string[]> {
    const found = await this.containers(service);
    return found.flatMap(({ NetworkSettings: { Networks } }) => Networks[this.network(network)]?.IPAddress || []);
  }

  /** Returns the name of a network of the compose files. */
  network(name: string): string {
    return `${this.project}_${name}`;
  }

  /** Runs a command in a container of a service. */
  async exec(service: string, ...words: readonly string[]): Promise<Output> {
    return this.compose('exec', '-T', service, ...words);
  }

  async logs(service: string): Promise<string> {
    const { output } = await this.compose('logs', '--no-log-prefix', service);
    return stripVTControlCharacters(output);
  }

  /** Restarts one container and waits until it is healthy. */
  async restart({ Id }: Container): Promise<void> {
    await this.expectSuccess('docker', 'restart', Id);
    await this.untilHealthy(Id);
  }

  /**
   * Kills the processes in a container as a crash does, and waits until the engine has restarted it. `docker kill` counts
   * as a manual stop, after which the engine restarts nothing.
   */
  async crash({ Id, State, Config }: Container): Promise<void> {
    const rights = [`--pid=container:${Id}`, '--user=0', '--cap-add=KILL', '--network=none', '--entrypoint=sh'];
    // All but itself and the container's init. That then ends, and the kernel may kill this process (137) with it.
    const { code, output } = await this.command('docker', 'run', '--rm', ...rights, Config.Image, '-c', 'kill -9 -1');
    if (code !== 0 && code !== 137) throw new Error(`cannot kill ${Config.Image}: ${output}`);
    const startOf = () => this.expectSuccess('docker', 'inspect', '--format', '{{.State.StartedAt}}', Id);
    await until(async () => (await startOf()).trim() !== State.StartedAt, `the engine restarts ${Id}`);
    await this.untilHealthy(Id);
  }

  async untilHealthy(id: string): Promise<void> {
    await until(async () => {
      const status = await this.expectSuccess('docker', 'inspect', '--format', '{{.State.Health.Status}}', id);
      return status.trim() === 'healthy';
    }, `${id} is healthy`);
  }

  /** The search path of the operator. */
  get path(): string {
    return this.environment['PATH'] ?? '';
  }

  get url(): string {
    return `http://127.0.0.1:${this.settings['KEYFOLD_PORT']}`;
  }

  get ports(): Readonly<{ sftp: number; tls: number }> {
    return { sftp: Number(this.settings['KEYFOLD_SFTP_PORT']), tls: Number(this.settings['KEYFOLD_TLS_PORT']) };
  }

  get api(): ApiClient {
    return new ApiClient(this.url);
  }

  /** Returns a URL of the balancer. Requests of each name come from an address of its own. */
  async urlFrom(name?: string): Promise<string> {
    if (name === undefined) return this.url;
    this.#clients ??= Clients.start(this);
    return (await this.#clients).urlFrom(name);
  }

  async apiFrom(name: string): Promise<ApiClient> {
    return new ApiClient(await this.urlFrom(name));
  }

  async admin(): Promise<ApiClient> {
    return adminOf(this.api);
  }

  /** Returns the number of gateways in rotation, according to the balancer's log since its start. */
  async balanced(): Promise<number> {
    const { Id, State } = await this.container('balancer');
    const log = await this.expectSuccess('docker', 'logs', '--since', State.StartedAt, Id);
    const changes = log.matchAll(/^Server gateways\/(\S+)[^\n]*? is (UP|DOWN|going DOWN)/gm);
    const last = new Map([...changes].map(([, name, state]) => [name, state]));
    return [...last.values()].filter((state) => state === 'UP').length;
  }

  /** Waits until the balancer uses every gateway. */
  async untilBalanced(): Promise<void> {
    const gateways = (await this.containers('gateway')).length;
    await until(async () => (await this.balanced()) === gateways, `${gateways} gateways in rotation`);
  }

  /** Removes everything, and the images that were built. */
  async dispose(): Promise<void> {
    await (await this.#clients?.catch(() => undefined))?.dispose();
    await this.removeEverything();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Does not read the compose file, which may be broken or need settings. */
  private async removeEverything(): Promise<void> {
    const label = `label=com.docker.compose.project=${this.project}`;
    const remove = async (kind: string, list: readonly string[], ...words: readonly string[]) => {
      const { stdout } = await run('docker', [kind, ...list, '--quiet', '--filter', label], { env: this.environment });
      const ids = stdout.split('\n').filter(Boolean);
      if (ids.length > 0) await run('docker', [kind, 'rm', ...words, ...ids], { env: this.environment });
    };
    await remove('container', ['ls', '--all'], '--force', '--volumes');
    await remove('network', ['ls']);
    await remove('volume', ['ls']);
    await remove('image', ['ls'], '--force');
  }

  private get environment(): NodeJS.ProcessEnv {
    const { PATH, HOME } = process.env;
    return {
      HOME,
      ...engineEnvironment,
      PATH: [engineEnvironment['PATH'], PATH].filter(Boolean).join(':'),
      ...this.settings,
    };
  }

  /** Types the password at the prompts of the command. */
  private async setPassword(command: string): Promise<void> {
    const terminal = commandOnTerminal(this.environment, `cd '${this.folder}' && ${command.replace(/#.*/, '')}`);
    for (const prompt of ['New password for admin', 'Repeat the password']) {
      await terminal.untilShown(prompt);
      terminal.press(`${ADMIN_PASSWORD}\r`);
    }
    const code = await terminal.ended;
    if (code !== 0) throw new Error(`cannot set the admin password: ${terminal.text()}`);
  }
}
