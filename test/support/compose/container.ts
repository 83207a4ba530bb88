import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HealthCheck } from './compose-file.js';
import type { Image, Mount } from './images.js';

/** Everything that defines a container, from its service and its image. */
export type ContainerPlan = Readonly<{
  name: string;
  /** The network namespace. */
  namespace: string;
  /** The folder for its files. Like the container, it survives stops. */
  folder: string;
  hostname: string;
  addresses: readonly string[];
  user: number;
  users: Image['users'];
  /** The capabilities that it keeps, in the form of `setpriv`. */
  capabilities: readonly string[];
  workingFolder: string;
  environment: Readonly<Record<string, string>>;
  commandLine: readonly string[];
  mounts: readonly Mount[];
  healthcheck: HealthCheck | undefined;
  stopSignal: NodeJS.Signals;
  stopGrace: number;
}>;

const SCRIPT = join(import.meta.dirname, 'container.sh');

/** A container without an engine: a process with its own namespaces, root and user, and with a health check. */
export class Container {
  /** Undefined while the container runs or before its first start. Signals count as 128 plus their number. */
  exitCode: number | undefined;
  /** The result of the last health check since the start. */
  health: 'starting' | 'healthy' | 'unhealthy' = 'starting';
  /** The number of starts. */
  starts = 0;
  #engine: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #lastCheck = 'not checked yet';

  constructor(readonly plan: ContainerPlan) {}

  get name(): string {
    return this.plan.name;
  }

  get isRunning(): boolean {
    return this.#engine !== undefined;
  }

  async start(): Promise<void> {
    const { plan } = this;
    await this.#prepare();
    this.starts++;
    this.exitCode = undefined;
    this.health = 'starting';
    const log = await open(this.#logFile, 'a');
    const parameters = [
      plan.folder,
      plan.hostname,
      String(plan.user),
      this.#bounds,
      plan.workingFolder,
      ...plan.commandLine,
    ];
    const engine = spawn(
      'setpriv',
      // The container ends with this process, however it ends.
      [
        '--pdeathsig',
        'KILL',
        'nsenter',
        `--net=/run/netns/${plan.namespace}`,
        ...NAMESPACES,
        'sh',
        SCRIPT,
        ...parameters,
      ],
      { env: { ...plan.environment }, stdio: ['ignore', log.fd, log.fd] },
    );
    this.#engine = engine;
    this.#ended = once(engine, 'exit').then(([code, signal]) => {
      this.exitCode = (code as number | null) ?? (signal === 'SIGKILL' ? 137 : 128);
      this.#engine = undefined;
    });
    await once(engine, 'spawn');
    await log.close();
    if (plan.healthcheck) void this.#watch(plan.healthcheck, this.starts);
  }

  /** Resolves with the exit code once the container has ended. */
  async ended(): Promise<number> {
    await this.#ended;
    return this.exitCode ?? 0;
  }

  /** Stops the container as an engine does: signals it and kills it after the grace period. Returns the exit code. */
  async stop(): Promise<number> {
    const pid = await this.#firstProcess();
    if (pid !== undefined) process.kill(pid, this.plan.stopSignal);
    const late = new AbortController();
    const grace = sleep(this.plan.stopGrace, 'late' as const, { signal: late.signal, ref: false }).catch(() => 'over');
    if ((await Promise.race([this.#ended, grace])) === 'late') await this.kill();
    late.abort();
    return this.ended();
  }

  /** Kills the container (SIGKILL). */
  async kill(): Promise<void> {
    this.#engine?.kill('SIGKILL');
    await this.#ended;
  }

  /** Runs a command in the container, like `docker exec`. Returns its exit code and output. */
  async exec(commandLine: readonly string[], timeout = 30_000): Promise<{ code: number | null; output: string }> {
    const pid = await this.#firstProcess();
    if (pid === undefined) return { code: null, output: `${this.name} is not running` };
    const user = this.plan.user;
    const into = [`--target=${pid}`, '--mount', '--uts', '--ipc', '--net', '--pid', '--root'];
    const as = [
      'setpriv',
      `--reuid=${user}`,
      `--regid=${user}`,
      '--clear-groups',
      '--no-new-privs',
      `--bounding-set=${this.#bounds}`,
    ];
    const child = spawn('nsenter', [...into, ...as, 'env', `--chdir=${this.plan.workingFolder}`, ...commandLine], {
      env: { ...this.plan.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
      killSignal: 'SIGKILL',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  /** Returns the output of all starts. */
  output(): Promise<string> {
    return readFile(this.#logFile, 'utf8').catch(() => '');
  }

  /** Describes the state of the container for error messages. */
  async description(): Promise<string> {
    const state = this.isRunning ? `running, ${this.health} (${this.#lastCheck})` : `exited with ${this.exitCode}`;
    return `${this.name} ${state}\n${(await this.output()).slice(-2_000)}`;
  }

  get #bounds(): string {
    return ['-all', ...this.plan.capabilities].join(',');
  }

  get #logFile(): string {
    return join(this.plan.folder, 'output');
  }

  /** Returns the process id of the container's process 1, as seen from here. */
  async #firstProcess(): Promise<number | undefined> {
    const engine = this.#engine?.pid;
    if (engine === undefined) return undefined;
    const children = await readFile(`/proc/${engine}/task/${engine}/children`, 'utf8').catch(() => '');
    return Number(children.split(' ')[0]) || undefined;
  }

  async #prepare(): Promise<void> {
    const { folder, users, hostname, addresses, mounts } = this.plan;
    const etc = join(folder, 'etc');
    await mkdir(etc, { recursive: true });
    await mkdir(join(folder, 'root'), { recursive: true });
    const all = Object.entries({ root: 0, ...users });
    const files = {
      passwd: all.map(([name, id]) => `${name}:x:${id}:${id}::/:/bin/sh`),
      group: all.map(([name, id]) => `${name}:x:${id}:`),
      hosts: ['127.0.0.1 localhost', ...addresses.map((address) => `${address} ${hostname}`)],
      'resolv.conf': ['nameserver 127.0.0.11', 'options ndots:0'],
      'nsswitch.conf': ['passwd: files', 'group: files', 'hosts: files dns'],
      hostname: [hostname],
    };
    for (const [name, lines] of Object.entries(files)) await writeFile(join(etc, name), `${lines.join('\n')}\n`);
    const lines = mounts.map(({ kind, target, source = '' }) => `${kind} ${target} ${source}\n`);
    await writeFile(join(folder, 'mounts'), lines.join(''));
  }

  /** Runs the health check until the container ends, more often during the start period. */
  async #watch(check: HealthCheck, start: number): Promise<void> {
    const began = performance.now();
    let failures = 0;
    for (;;) {
      const starting = this.health === 'starting' && performance.now() - began < check.start_period;
      await sleep(starting ? check.start_interval : check.interval, undefined, { ref: false });
      if (!this.isRunning || this.starts !== start) return;
      const [, ...commandLine] = check.test ?? [];
      const { code, output } = await this.exec(commandLine, check.timeout);
      if (!this.isRunning || this.starts !== start) return;
      this.#lastCheck = `status ${code}: ${output.trim().slice(-500)}`;
      failures = code === 0 ? 0 : failures + 1;
      if (code === 0) this.health = 'healthy';
      else if (failures >= check.retries && performance.now() - began > check.start_period) this.health = 'unhealthy';
    }
  }
}

const NAMESPACES = ['unshare', '--mount', '--uts', '--ipc', '--pid', '--fork', '--kill-child=SIGKILL'];
