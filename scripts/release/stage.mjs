// node scripts/release/stage.mjs <folder>: fills a folder with what the archive and the image contain of Keyfold: the built apps, the
// packages that they load from node_modules, and the notices.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APPS, buildApps, linkOf } from '../build.mjs';
import { KEPT } from '../bundle.mjs';
import { noticesOf } from './notices.mjs';
import { nodePackage, platformOf, read, root } from './sbom.mjs';

export const { name, version, description, license, overrides } = read(join(root, 'package.json'));

/**
 * @param cpu as Node names it
 * @param more packages for the platform to install besides those of the apps, with their versions
 */
export function stage(folder, cpu = process.arch, more = {}) {
  mkdirSync(folder, { recursive: true });
  buildApps();
  for (const app of APPS) {
    cpSync(realpathSync(linkOf(app)), join(folder, `dist/apps/${app}/src`), { recursive: true, filter: isShipped });
  }
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const platform = platformOf(cpu);
  installPackages(folder, platform, more);
  writeFileSync(join(folder, 'THIRD_PARTY_NOTICES'), noticesOf({ platform, node: nodePackage }));
}

/** The files of a build that running it takes. */
const isShipped = (file) => !/\.map$|\/(?:built\.json|in-use)$/.test(file);

/** Installs what the bundles leave out, in the versions of the lock file. */
function installPackages(folder, platform, more) {
  const { packages } = read(join(root, 'package-lock.json'));
  const kept = Object.fromEntries(KEPT.map((each) => [each, packages[`node_modules/${each}`].version]));
  // Without the overrides, npm would install other packages than those of the lock file.
  writeManifest(folder, { dependencies: kept, optionalDependencies: more, overrides });
  cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  const target = Object.entries(platform).map(([key, value]) => `--${key}=${value}`);
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--prefer-offline', ...target];
  execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 2] });
  // npm only accepts another platform for optional packages, whose absence is no error.
  const native = [`@node-rs/argon2-linux-${platform.cpu}-gnu`, ...Object.keys(more)];
  const missing = native.filter((each) => !existsSync(join(folder, 'node_modules', each)));
  if (missing.length > 0) throw new Error(`npm did not install ${missing.join(', ')}`);
  writeManifest(folder);
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json', 'node_modules/.bin'])
    rmSync(join(folder, file), { recursive: true, force: true });
  for (const file of globSync('node_modules/**/*.map', { cwd: folder })) rmSync(join(folder, file));
}

const writeManifest = (folder, more = {}) =>
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, type: 'module', ...more }, null, 2));

if (import.meta.main) stage(process.argv[2]);
