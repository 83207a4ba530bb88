// The test scripts load this file as it stands, so it imports no other file of the project.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Something that only some tests need beside Node, most often a program. */
export type Program = Readonly<{
  /** Whether it starts on this machine, in a version that works. */
  isInstalled: () => boolean | Promise<boolean>;
  /** The Debian packages that contain it, or that fetching it requires. */
  packages: readonly string[];
  /** Downloads of `npm run test:setup` after it has installed the packages. */
  fetched?: 'mongod' | 'go' | 'kustomize' | 'actionlint' | 'kube-apiserver' | 'rclone' | 'docker' | 'release';
}>;

/** The folder for what no Debian package contains. */
export const cacheFolder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'keyfold');
export const mongodFolder = join(cacheFolder, 'mongod');
export const goFolder = join(cacheFolder, 'go');
export const rcloneFolder = join(cacheFolder, 'rclone');
export const dockerFolder = join(cacheFolder, 'docker');
export const binFolder = join(cacheFolder, 'bin');

/** The release from which the upgrade tests start. `npm run test:setup` builds its archive, so that no binary is committed. */
export const release = { version: '0.2.0', commit: 'aed08bb7ab939ae965c52d9c1589117df22fa858' };
export const releaseFolder = join(cacheFolder, 'releases', `${release.version}-${release.commit}`);

/** The search path of this process and the folders that it may lack: those of administrators and those of `npm run test:setup`. */
export const searchPath = [
  process.env['PATH'] ?? '',
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  join(goFolder, 'go/bin'),
  binFolder,
].join(delimiter);

const folders = searchPath.split(delimiter).filter(Boolean);

/** The path of an executable file with this name. */
export function findProgram(name: string, within: readonly string[] = folders): string | undefined {
  return within.map((folder) => join(folder, name)).find(isExecutable);
}

/** The path of a mongod that runs: a library that it needs may be missing. */
export function findMongod(): string | undefined {
  return [...folders, mongodFolder].map((folder) => join(folder, 'mongod')).find((path) => starts(path));
}

/**
 * The folder with `rabbitmq-server` and `rabbitmqctl`, if they run: Erlang may be missing. Debian's folder comes first because the
 * programs on the search path may be wrappers, which change the user and leave the process group.
 */
export function findRabbitmqFolder(): string | undefined {
  const known = ['/usr/lib/rabbitmq/bin', ...folders, '/opt/rabbitmq/sbin'];
  return known.find((folder) => isExecutable(join(folder, 'rabbitmq-server')) && hasErlang());
}

const inPackage = (name: string, ...packages: readonly string[]): Program => ({
  isInstalled: () => starts(name),
  packages,
});

const isRoot = process.getuid?.() === 0;
const hasMongod = () => findMongod() !== undefined;
const MONGOD = { packages: ['libcurl4', 'python3-pip'], fetched: 'mongod' } as const;
const hasRabbitmq = () => findRabbitmqFolder() !== undefined;

/** All that some tests need beside Node. Tests name the rows with `needs`. */
const rows = {
  'chromium-headless-shell': inPackage('chromium-headless-shell', 'chromium-headless-shell', 'fonts-wqy-microhei'),
  MongoDB: {
    isInstalled: async () => Boolean(process.env['MONGODB_URI']) || hasMongod() || (await isListening(27_017)),
    ...MONGOD,
  },
  mongod: { isInstalled: hasMongod, ...MONGOD },
  RabbitMQ: {
    isInstalled: async () => Boolean(process.env['RABBITMQ_URL']) || hasRabbitmq() || (await isListening(5672)),
    packages: ['rabbitmq-server'],
  },
  'rabbitmq-server': { isInstalled: hasRabbitmq, packages: ['rabbitmq-server'] },
  'ssh-keygen': inPackage('ssh-keygen', 'openssh-client'),
  sshd: inPackage('sshd', 'openssh-server'),
  'libnss-extrausers': {
    isInstalled: () => existsSync('/usr/lib/libnss_extrausers.so.2'),
    packages: ['libnss-extrausers'],
  },
  sftp: inPackage('sftp', 'openssh-client'),
  oathtool: inPackage('oathtool', 'oathtool'),
  "Debian's rclone": { isInstalled: () => starts('/usr/bin/rclone'), packages: ['rclone'] },
  'rclone 1.75': {
    isInstalled: () => starts(join(rcloneFolder, 'bin/rclone')),
    packages: ['python3-pip'],
    fetched: 'rclone',
  },
  'ProFTPD with TLS': {
    isInstalled: () => starts('proftpd') && existsSync('/usr/lib/proftpd/mod_tls.so'),
    packages: ['proftpd-core', 'proftpd-mod-crypto'],
  },
  nginx: inPackage('nginx', 'nginx'),
  curl: inPackage('curl', 'curl'),
  jq: inPackage('jq', 'jq'),
  dash: inPackage('dash', 'dash'),
  bash: inPackage('bash', 'bash'),
  script: inPackage('script', 'bsdutils'),
  openssl: inPackage('openssl', 'openssl'),
  prlimit: inPackage('prlimit', 'util-linux'),
  'systemd-analyze': inPackage('systemd-analyze', 'systemd'),
  promtool: inPackage('promtool', 'prometheus'),
  /** Neither remote nor rootless. Root can start a private one. */
  'Docker Engine 25 with Compose 2.24.4': {
    isInstalled: () => hasEngine() || hasPrivateEngine(),
    packages: [],
    ...(isRoot && { packages: ['iproute2', 'iptables', 'mmdebstrap', 'runc', 'tini'], fetched: 'docker' as const }),
  },
  'Linux namespaces (run the tests as root)': {
    isInstalled: () => runs('unshare', '--net', '--mount', '--pid', '--fork', 'true'),
    packages: [],
  },
  'Python with pip': { isInstalled: () => runs('python3', '-m', 'pip', '--version'), packages: ['python3-pip'] },
  'Go 1.26': {
    isInstalled: () => {
      const [, minor = ''] = /^go version go1\.(\d+)/.exec(output('go', 'version') ?? '') ?? [];
      return Number(minor) >= 26;
    },
    packages: ['python3-pip'],
    fetched: 'go',
  },
  'kustomize or kubectl': {
    isInstalled: () => starts('kustomize') || starts('kubectl'),
    packages: [],
    fetched: 'kustomize',
  },
  actionlint: { isInstalled: () => starts('actionlint'), packages: [], fetched: 'actionlint' },
  etcd: inPackage('etcd', 'etcd-server'),
  'kube-apiserver': { isInstalled: () => starts('kube-apiserver'), packages: [], fetched: 'kube-apiserver' },
  'the last release': { isInstalled: () => existsSync(releaseFolder), packages: ['git'], fetched: 'release' },
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof rows;
export const programs: Readonly<Record<ProgramName, Program>> = rows;

/** Returns the names of the programs that do not start on this machine. */
export async function missingPrograms(): Promise<readonly ProgramName[]> {
  const missing: ProgramName[] = [];
  for (const name of Object.keys(rows) as ProgramName[]) if (!(await rows[name].isInstalled())) missing.push(name);
  return missing;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Identifies what `npm run test:setup` installs of the engine. */
export const engineRecipe = (): string =>
  createHash('sha256')
    .update(readFileSync(join(import.meta.dirname, 'docker/private-engine.ts')))
    .digest('hex');

/** The stand-ins for the official images contain this machine's Go and mongod. */
const hasPrivateEngine = (): boolean =>
  isRoot &&
  existsSync(join(dockerFolder, 'installed')) &&
  readFileSync(join(dockerFolder, 'installed'), 'utf8') === engineRecipe() &&
  findProgram('go') !== undefined &&
  findMongod() !== undefined;

/**
 * Whether a Docker engine answers, in a version that the compose file accepts. Tests reach containers by their addresses, so an
 * engine on another machine, in a virtual one or without root does not do.
 */
export function hasEngine(): boolean {
  const host = output('docker', 'context', 'inspect', '--format', '{{.Endpoints.docker.Host}}');
  if (!host?.startsWith('unix://')) return false;
  const kind = output('docker', 'info', '--format', '{{.OperatingSystem}} {{.SecurityOptions}}');
  if (/Docker Desktop|rootless/.test(kind ?? '')) return false;
  const versions = [
    output('docker', 'version', '--format', '{{.Server.Version}}'),
    output('docker', 'compose', 'version', '--short'),
  ];
  const [engine = 0, compose = 0] = versions.map((version) => {
    const [, major = 0, minor = 0, patch = 0] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version ?? '') ?? [];
    return Number(major) * 1e6 + Number(minor) * 1e3 + Number(patch);
  });
  return engine >= 25e6 && compose >= 2_024_004;
}

const runs = (program: string, ...words: readonly string[]) => output(program, ...words) !== undefined;

const hasErlang = () => runs('erl', '-noshell', '-eval', 'halt().');

/** Whether a program starts: it may reject the option, but its interpreter and its libraries are there. */
function starts(program: string): boolean {
  const { error, status } = spawnSync(program, ['--version'], {
    env: { ...process.env, PATH: searchPath },
    stdio: 'ignore',
    timeout: 10_000,
  });
  return error === undefined && status !== null && status < 126;
}

/** Returns the output of a program; undefined if it fails or cannot be started. */
function output(program: string, ...words: readonly string[]): string | undefined {
  try {
    const env = { ...process.env, PATH: searchPath };
    return execFileSync(program, words, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    });
  } catch {
    return undefined;
  }
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<boolean>((answer) => {
    socket.setTimeout(500, () => answer(false));
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  }).finally(() => socket.destroy());
}
