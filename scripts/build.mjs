// npm run build: builds all apps when their build is older than the sources. The start and test commands do the same.
import { spawnSync } from 'node:child_process';
import { globSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdingLock } from './build-lock.mjs';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** Written when a build is complete; its age is the build's. */
const stamp = join(dist, 'built');
const inputs = ['{apps,libs}/**/*.ts', 'tsconfig*.json', 'nest-cli.json', 'package-lock.json', 'scripts/bu*.mjs'];

/** The path of the app's entry point in an up-to-date build. Ends the process when the build fails. */
export async function builtApp(app) {
  // Processes that are started side by side share one build.
  if (!isUpToDate()) await holdingLock(join(root, 'node_modules/.build-lock'), () => isUpToDate() || build());
  return join(dist, `apps/${app}/src/main.js`);
}

async function build() {
  const began = new Date();
  rmSync(dist, { recursive: true, force: true });
  const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  // Only now, because a start that builds nothing need not wait for the bundler.
  const { bundleApps } = await import('./bundle.mjs');
  await bundleApps(dist, ['cli', 'gateway', 'standalone', 'worker']);
  writeFileSync(stamp, '');
  // A source that changed during the build is newer than it.
  utimesSync(stamp, began, began);
}

function isUpToDate() {
  const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return globSync(inputs, { cwd: root }).every((file) => statSync(join(root, file)).mtimeMs <= built);
}

if (import.meta.main) await builtApp('standalone');
