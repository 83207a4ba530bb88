// node scripts/release/stage.mjs <folder>: fills a folder with what the archive and the image contain of Keyfold: the built apps, the
// packages that they load from node_modules, and the `keyfold` command.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildApps } from '../build.mjs';
import { KEPT } from '../bundle.mjs';

export const root = join(import.meta.dirname, '../..');
const APPS = ['cli', 'gateway', 'standalone', 'worker'];
const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));
export const { name, version, description, license } = read('package.json');

/**
 * @param cpu as Node names it
 * @param more packages to install besides those of the apps, with their versions
 */
export function stage(folder, cpu = process.arch, more = {}) {
  buildApps(APPS);
  for (const app of APPS) {
    const from = realpathSync(join(root, `dist/apps/${app}/src`));
    cpSync(from, join(folder, `dist/apps/${app}/src`), { recursive: true, filter: isShipped });
  }
  cpSync(join(root, 'deploy/image/keyfold.mjs'), join(folder, 'keyfold.mjs'));
  installPackages(folder, cpu, more);
}

/** The files of a build that running it takes. */
const isShipped = (file) => !/\.map$|\/(?:built\.json|in-use)$/.test(file);

/** Installs what the bundles leave out, in the versions of the lock file. */
function installPackages(folder, cpu, more) {
  const { packages } = read('package-lock.json');
  const kept = Object.fromEntries(KEPT.map((each) => [each, packages[`node_modules/${each}`].version]));
  const manifest = { name, version, type: 'module', dependencies: { ...kept, ...more } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  const platform = ['--os=linux', `--cpu=${cpu}`, '--libc=glibc'];
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', ...platform];
  execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 2, 2] });
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json', 'node_modules/.bin'])
    rmSync(join(folder, file), { recursive: true, force: true });
  for (const file of globSync('node_modules/**/*.map', { cwd: folder })) rmSync(join(folder, file));
}

if (import.meta.main) stage(process.argv[2]);
