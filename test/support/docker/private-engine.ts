// The test scripts load this file as it stands, so it imports no other file of the project.
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The suites of Debian with an engine of 25 or later, and with RabbitMQ 4 and HAProxy 3.2. */
const ENGINE_SUITE = 'trixie';
const BASE_SUITES = {
  // Perl serves only `usrmerge`, which has done its work.
  bookworm: [
    '--include=usr-is-merged',
    '--customize-hook=chroot "$1" apt-get --yes --quiet=2 purge usrmerge perl perl-modules-5.36 libperl5.36 >/dev/null',
  ],
  // One system for two images saves half a minute.
  forky: ['--include=rabbitmq-server,haproxy,busybox'],
};
const ENGINE_PACKAGES = ['docker.io', 'docker-cli', 'docker-compose', 'docker-buildx', 'containerd'];
/** As in Debian's slim images. */
const LEFT_OUT = ['doc', 'man', 'locale', 'info', 'lintian'].map((name) => `path-exclude=/usr/share/${name}/*`);
const FIREWALLS = ['iptables', 'ip6tables'];
/** Outlives a killed run. */
const POLICIES = 'forward-policies.json';
type Policies = readonly (readonly [command: string, policy: string])[];
const START_MS = 60_000;
const STOP_MS = 60_000;

/** Runs a program whose output matters only if it fails. */
const run = (program: string, words: readonly string[], env: NodeJS.ProcessEnv = process.env, input = '') =>
  execFileSync(program, words, { env, input, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 28 });

/**
 * A Docker engine for tests, as root, for machines without one: Debian's packages in a folder, with its own images and
 * networks. Its ports are published on the loopback interface only.
 */
export class PrivateEngine {
  /** The environment that clients of the engine need. */
  readonly environment: Readonly<Record<'PATH' | 'DOCKER_HOST' | 'DOCKER_CONFIG', string>>;
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    this.environment = {
      PATH: [join(folder, 'engine/usr/bin'), join(folder, 'engine/usr/sbin'), process.env['PATH'] ?? ''].join(':'),
      DOCKER_HOST: `unix://${join(folder, 'docker.sock')}`,
      DOCKER_CONFIG: join(folder, 'config'),
    };
  }

  /** Downloads the engine and the systems on which the images are based. `recipe` identifies their versions later. */
  async install(recipe: string): Promise<void> {
    unmountBelow(this.folder);
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(join(this.folder, 'config'), { recursive: true });
    this.#fetchEngine();
    const stop = await this.start();
    try {
      for (const [suite, options] of Object.entries(BASE_SUITES)) this.#importSystem(suite, options);
    } finally {
      await stop();
    }
    writeFileSync(join(this.folder, 'installed'), recipe);
  }

  /**
   * Starts the engine, or uses the one of a killed run. Resolves with a function that stops it and removes its networks. Two engines
   * would share the bridge `docker0` and the rules of the firewall, so it refuses to run beside another one.
   */
  async start(): Promise<() => Promise<void>> {
    const [log, pidFile] = [join(this.folder, 'dockerd.log'), join(this.folder, 'docker.pid')];
    const own = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim() : undefined;
    const other = runningEngines().find((pid) => pid !== own);
    if (other) throw new Error(`another Docker engine runs on this machine, process ${other}. Stop it first.`);
    const policies = this.#forwardPolicies();
    const options = [
      ['--data-root', join(this.folder, 'data')],
      ['--exec-root', join(this.folder, 'exec')],
      ['--host', this.environment.DOCKER_HOST],
      ['--pidfile', pidFile],
      ['--storage-driver', 'overlay2'],
      ['--init-path', '/usr/bin/tini-static'],
      ['--default-network-opt', 'bridge=com.docker.network.bridge.host_binding_ipv4=127.0.0.1'],
    ].flat();
    const output = openSync(log, 'w');
    // A folder of this run would be missing to the next one if this one is killed.
    const env = { ...process.env, ...this.environment, TMPDIR: this.folder };
    let failure: unknown;
    const child = spawn('dockerd', options, { env, stdio: ['ignore', output, output] });
    child.once('error', (error) => (failure = error));
    const deadline = performance.now() + START_MS;
    while (!this.#answers()) {
      if (failure || child.exitCode !== null || performance.now() > deadline)
        throw new Error(`the Docker engine does not start: see ${log}`, { cause: failure });
      await sleep(100);
    }
    return async () => {
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGTERM');
      const latest = performance.now() + STOP_MS;
      // The engine removes the file once it has stopped all containers.
      while (existsSync(pidFile) && performance.now() < latest) await sleep(100);
      removeNetworks(policies);
      rmSync(join(this.folder, POLICIES));
    };
  }

  /** Returns what the machine did with forwarded packets before the first start; the engine drops them. */
  #forwardPolicies(): Policies {
    const file = join(this.folder, POLICIES);
    if (!existsSync(file)) {
      const policyOf = (command: string) => /^:FORWARD (\w+)/m.exec(run(`${command}-save`, ['-t', 'filter']))?.[1];
      writeFileSync(file, JSON.stringify(FIREWALLS.map((command) => [command, policyOf(command) ?? 'ACCEPT'])));
    }
    return JSON.parse(readFileSync(file, 'utf8')) as Policies;
  }

  #answers(): boolean {
    try {
      run('docker', ['version'], { ...process.env, ...this.environment });
      return true;
    } catch {
      return false;
    }
  }

  /** Without `runc`, whose current version needs a newer C library: the machine has its own. */
  #fetchEngine(): void {
    const [packages, engine] = [join(this.folder, 'packages'), join(this.folder, 'engine')];
    for (const path of ['lists/partial', 'archives/partial']) mkdirSync(join(packages, path), { recursive: true });
    writeFileSync(join(packages, 'status'), '');
    writeFileSync(join(packages, 'sources.list'), `deb ${mirror()} ${ENGINE_SUITE} main\n`);
    const settings = {
      'Dir::State': packages,
      'Dir::State::status': join(packages, 'status'),
      'Dir::Cache': packages,
      'Dir::Etc::SourceList': join(packages, 'sources.list'),
      'Dir::Etc::SourceParts': '-',
      'APT::Sandbox::User': 'root',
      'Acquire::Check-Valid-Until': 'false',
      'Acquire::Languages': 'none',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
    writeFileSync(join(packages, 'apt.conf'), lines.join(''));
    const env = { ...process.env, APT_CONFIG: join(packages, 'apt.conf') };
    run('apt-get', ['update', '--quiet'], env);
    execFileSync('apt-get', ['download', ...ENGINE_PACKAGES], { env, cwd: packages, stdio: 'ignore' });
    for (const name of readdirSync(packages).filter((each) => each.endsWith('.deb')))
      run('dpkg-deb', ['--extract', join(packages, name), engine]);
    symlinkSync(join(engine, 'usr/libexec/docker/cli-plugins'), join(this.folder, 'config/cli-plugins'));
    rmSync(packages, { recursive: true });
  }

  /** Imports a minimal Debian as the image `keyfold-stand-in/<suite>`. */
  #importSystem(suite: string, options: readonly string[]): void {
    const archive = join(this.folder, `${suite}.tar`);
    const common = ['--quiet', '--variant=minbase', '--aptopt=Acquire::Check-Valid-Until "false"'];
    const slim = LEFT_OUT.map((each) => `--dpkgopt=${each}`);
    run('mmdebstrap', [...common, ...slim, ...options, suite, archive, mirror()]);
    run('docker', ['import', archive, `keyfold-stand-in/${suite}`], { ...process.env, ...this.environment });
    rmSync(archive);
  }
}

/** Returns the mirror of Debian that this machine uses. */
function mirror(): string {
  const targets = run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Origin: Debian', 'Label: Debian']);
  return targets.split('\n')[0] || 'http://deb.debian.org/debian';
}

/** Returns the process ids of the engines that run on this machine. */
function runningEngines(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(join('/proc', pid, 'comm'), 'utf8') === 'dockerd\n';
    } catch {
      return false;
    }
  });
}

/** Unmounts what a killed engine left mounted: its data folder, its containers' systems and network namespaces. */
function unmountBelow(folder: string): void {
  const points = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  const own = points.filter((point) => point.startsWith(`${folder}/`));
  for (const point of own.reverse()) run('umount', [point]);
}

/** Removes what dockerd leaves on the machine: its bridge and its rules. */
function removeNetworks(policies: Policies): void {
  for (const [command, policy] of policies) {
    const rules = run(`${command}-save`, []).split('\n');
    const others = rules.filter((rule) => !/docker/i.test(rule)).join('\n');
    run(`${command}-restore`, [], process.env, others.replace(/^:FORWARD \w+/m, `:FORWARD ${policy}`));
  }
  if (existsSync('/sys/class/net/docker0')) run('ip', ['link', 'delete', 'docker0']);
}
