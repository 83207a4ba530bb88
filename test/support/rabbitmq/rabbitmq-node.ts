import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { lastingPort } from '../lasting-port.js';
import { needs } from '../needs.js';
import { findRabbitmqFolder } from '../programs.js';
import { Watchdog } from './watchdog.js';

await needs('rabbitmq-server');

const run = promisify(execFile);
const START_MS = 90_000;
const STOP_MS = 30_000;
/**
 * Starts Erlang's port mapper (epmd) in the node's process group, so that both end together. Otherwise the node would
 * start one that outlives it.
 */
const LAUNCH = `
epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 &
for attempt in 1 2 3 4 5 6 7 8 9 10; do epmd -names >/dev/null 2>&1 && break; sleep 0.1; done
exec "$0"`;

type Ports = Readonly<{ amqp: number; management: number; distribution: number; epmd: number }>;

/**
 * Runs a private RabbitMQ node. Its ports and temporary folder survive restarts. A watchdog kills the node when this
 * process ends, even if it crashes.
 */
export class RabbitmqNode {
  #process: ChildProcess | undefined;
  #ended: Promise<unknown> | undefined;
  #output = '';

  private constructor(
    private readonly binDir: string,
    private readonly folder: string,
    private readonly ports: Ports,
    private readonly watchdog: Watchdog,
  ) {}

  /** Starts a node; `settings` are more lines of its rabbitmq.conf. */
  static async start(settings: readonly string[] = []): Promise<RabbitmqNode> {
    const binDir = rabbitmqPrograms();
    const folder = await mkdtemp(join(tmpdir(), 'keyfold-rabbitmq-'));
    const ports = {
      amqp: await lastingPort(),
      management: await lastingPort(),
      distribution: await lastingPort(),
      epmd: await lastingPort(),
    };
    const node = new RabbitmqNode(binDir, folder, ports, new Watchdog(folder));
    try {
      await node.#configure(settings);
      await node.restart();
      return node;
    } catch (error) {
      await node.dispose();
      throw error;
    }
  }

  get port(): number {
    return this.ports.amqp;
  }

  /** The address of the default virtual host. */
  get url(): string {
    return `amqp://guest:guest@127.0.0.1:${this.ports.amqp}`;
  }

  get managementUrl(): string {
    return `http://guest:guest@127.0.0.1:${this.ports.management}`;
  }

  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  /** Starts the node again after `kill` or `stop`, on the same data and ports. Resolves once it accepts connections. */
  async restart(): Promise<void> {
    this.#output = '';
    const child = spawn('sh', ['-c', LAUNCH, join(this.binDir, 'rabbitmq-server')], {
      env: this.#environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#process = child;
    this.#ended = once(child, 'close');
    this.watchdog.guard(child.pid ?? 0);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (this.#output += String(text)));
    await this.#waitUntilReady();
  }

  /** Kills the node (SIGKILL), like a crash. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (!child?.pid) return;
    // Kills the whole group, because epmd outlives its leader. The output closes when the last process has ended.
    signal(-child.pid, 'SIGKILL');
    await this.#ended;
  }

  /** Shuts the node down cleanly, like an operator. */
  async stop(): Promise<void> {
    const child = this.#process;
    if (child?.pid && this.isRunning) {
      signal(child.pid, 'SIGTERM');
      await Promise.race([once(child, 'exit'), sleep(STOP_MS, undefined, { ref: false })]);
    }
    await this.kill();
  }

  /** Freezes the node with its sockets open (SIGSTOP), until `thaw`. */
  freeze(): void {
    if (this.#process?.pid) signal(-this.#process.pid, 'SIGSTOP');
  }

  thaw(): void {
    if (this.#process?.pid) signal(-this.#process.pid, 'SIGCONT');
  }

  /** Runs an administration command such as `('stop_app')` and returns its output. Takes about two seconds. */
  async ctl(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(join(this.binDir, 'rabbitmqctl'), ['--quiet', ...args], {
      env: this.#environment(),
      timeout: 60_000,
    });
    return stdout;
  }

  /**
   * Raises or clears the memory alarm. While it is on, the node accepts no messages and reports publishers as blocked.
   */
  async setMemoryAlarm(on: boolean): Promise<void> {
    await this.ctl('set_vm_memory_high_watermark', ...(on ? ['0.000001'] : ['absolute', MEMORY]));
  }

  /** Stops the only member of a stream. It cannot start again, because a file has the name of its folder. */
  async stopStream(name: string): Promise<void> {
    const streams = join(this.folder, 'mnesia', `keyfold${this.ports.amqp}@localhost`, 'stream');
    const part = name.replaceAll('.', '_');
    const found = (await readdir(streams)).find((each) => each.includes(part));
    const folder = join(streams, found!);
    await rename(folder, `${folder}.away`);
    await writeFile(folder, '');
    // A member that was elected again has another process than the record of the queue says.
    const isMember = `string:find(lists:flatten(io_lib:format("~p", [Id])), "${part}") =/= nomatch`;
    const children = 'supervisor:which_children(osiris_server_sup)';
    await this.ctl('eval', `[exit(P, kill) || {Id, P, _, _} <- ${children}, is_pid(P), ${isMember}].`);
  }

  /** Kills the node and removes its data. */
  async dispose(): Promise<void> {
    await this.kill();
    this.watchdog.release();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #configure(further: readonly string[]): Promise<void> {
    const { amqp, management } = this.ports;
    await Promise.all(['mnesia', 'log'].map((name) => mkdir(join(this.folder, name))));
    await writeFile(join(this.folder, 'enabled_plugins'), '[rabbitmq_management].\n');
    await writeFile(join(this.folder, 'rabbitmq-env.conf'), '');
    const settings = [
      `listeners.tcp.1 = 127.0.0.1:${amqp}`,
      `management.tcp.port = ${management}`,
      'management.tcp.ip = 127.0.0.1',
      'loopback_users = none',
      'log.file.level = warning',
      `vm_memory_high_watermark.absolute = ${MEMORY}`,
      'disk_free_limit.absolute = 50MB',
      ...further,
    ];
    await writeFile(join(this.folder, 'rabbitmq.conf'), `${settings.join('\n')}\n`);
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
      // Keeps the Erlang cookie in this private folder, so that other users of the machine cannot control the node.
      HOME: this.folder,
      LANG: 'C.UTF-8',
      ERL_EPMD_PORT: String(this.ports.epmd),
      RABBITMQ_NODENAME: `keyfold${this.ports.amqp}@localhost`,
      RABBITMQ_DIST_PORT: String(this.ports.distribution),
      RABBITMQ_MNESIA_BASE: join(this.folder, 'mnesia'),
      RABBITMQ_LOG_BASE: join(this.folder, 'log'),
      RABBITMQ_CONF_ENV_FILE: join(this.folder, 'rabbitmq-env.conf'),
      RABBITMQ_CONFIG_FILE: join(this.folder, 'rabbitmq.conf'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(this.folder, 'enabled_plugins'),
      // Two schedulers that sleep when idle, because tests share the CPUs.
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none',
    };
  }

  async #waitUntilReady(): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (!(await isHealthy(this.managementUrl))) {
      if (!this.isRunning || Date.now() > deadline)
        throw new Error(`RabbitMQ: the private node failed to start: ${this.#output}${await this.#log()}`);
      await sleep(100);
    }
  }

  async #log(): Promise<string> {
    const file = join(this.folder, 'log', `keyfold${this.ports.amqp}@localhost.log`);
    return readFile(file, 'utf8').catch(() => '');
  }
}

const MEMORY = '1GB';

/** The folder with `rabbitmq-server` and `rabbitmqctl`. Throws if this machine has none. */
export function rabbitmqPrograms(): string {
  const folder = findRabbitmqFolder();
  if (folder === undefined) throw new Error('RabbitMQ was not found: set RABBITMQ_URL or run "npm run test:setup"');
  return folder;
}

/** Returns whether the node is ready. Its management API starts last, after the node has imported its initial definitions. */
async function isHealthy(managementUrl: string): Promise<boolean> {
  const { origin, username, password } = new URL(managementUrl);
  const authorization = `Basic ${btoa(`${username}:${password}`)}`;
  try {
    const answer = await fetch(`${origin}/api/aliveness-test/%2F`, { headers: { authorization } });
    return answer.ok;
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
