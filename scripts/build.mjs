// Builds an app when its build is older than the sources. Used by the start and test commands.
import { spawnSync } from 'node:child_process';
import { globSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const inputs = [
  '{apps,libs}/**/*.ts',
  'apps/*/tsconfig.app.json',
  'tsconfig*.json',
  'nest-cli.json',
  'package-lock.json',
];

/** The path of the app's entry point in an up-to-date build. Ends the process when the build fails. */
export function builtApp(app) {
  const main = join(root, `dist/apps/${app}/src/main.js`);
  if (!isUpToDate(main)) {
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
    const { status } = spawnSync(process.execPath, [nest, 'build', app], { cwd: root, stdio: ['ignore', 2, 2] });
    if (status !== 0) process.exit(status ?? 1);
    utimesSync(main, new Date(), new Date());
  }
  return main;
}

function isUpToDate(main) {
  const built = statSync(main, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return globSync(inputs, { cwd: root }).every((file) => statSync(join(root, file)).mtimeMs <= built);
}
