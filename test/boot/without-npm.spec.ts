import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { lastingPort } from '../support/lasting-port.js';

const ROOT = resolve(import.meta.dirname, '../..');
const flagsOf = (command: string) => command.split(' ').filter((word) => word.startsWith('--'));
/** Writes the heap limit of each thread, including those that only write files. */
const REPORT = `import v8 from 'node:v8'; console.log('heap limit', v8.getHeapStatistics().heap_size_limit);`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyfold-installed-'));
  await installInto(join(folder, 'keyfold'));
  for (const name of ['data', 'elsewhere']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'report.mjs'), REPORT);
});
afterAll(() => rm(folder, { recursive: true }));

type Lock = Readonly<{ packages: Record<string, { dev?: boolean; devOptional?: boolean }> }>;

/** Returns the packages that `npm ci --omit=dev` would install. Nested packages come with their parents. */
async function productionPackages(): Promise<string[]> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path.lastIndexOf('node_modules/') === 0 && !dev && !devOptional)
    .map(([path]) => path.replace('node_modules/', ''))
    .filter((name) => existsSync(join(ROOT, 'node_modules', name)));
}

/** Creates a folder after `npm run build` and `npm prune --omit=dev`. */
async function installInto(installed: string): Promise<void> {
  await cp(join(ROOT, 'dist/apps'), join(installed, 'dist/apps'), { recursive: true, verbatimSymlinks: true });
  await cp(join(ROOT, 'package.json'), join(installed, 'package.json'));
  for (const name of await productionPackages()) {
    const link = join(installed, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
}

/** Returns the command in the guide of the installation that runs an app of the folder `/opt/keyfold`, for the folder of this test. */
async function commandOf(app: string): Promise<string> {
  const guide = await readFile(join(ROOT, 'docs/run/install.md'), 'utf8');
  const [command] = new RegExp(`^.*/opt/keyfold/dist/apps/${app}/src/main\\.js`, 'm').exec(guide) ?? [];
  if (command === undefined) throw new Error(`the guide has no command for ${app}`);
  return command.replace('/opt/', `${folder}/`).replace('/var/lib/', `${folder}/data/`);
}

/** Runs a command line from another working directory. */
function run(command: string, env: Record<string, string> = {}) {
  const child = spawn('sh', ['-c', `exec env ${command}`], {
    cwd: join(folder, 'elsewhere'),
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const status = new Promise<number | null>((ended) => child.once('close', ended));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await status;
  });
  return { child, status, output: () => output };
}

describe('from another working directory and without dev dependencies', () => {
  it('the command of the guide runs the service with the heap limits of npm start in each thread', async () => {
    const port = await lastingPort();
    const service = run(await commandOf('standalone'), {
      KEYFOLD_HOST: '127.0.0.1',
      KEYFOLD_PORT: String(port),
      KEYFOLD_MANAGEMENT_PORT: '0',
      KEYFOLD_THREADS: '3',
      NODE_OPTIONS: `--import=${join(folder, 'report.mjs')}`,
    });
    await expect.poll(service.output, { timeout: 60_000 }).toContain('"msg":"ready"');
    expect(await (await fetch(`http://127.0.0.1:${port}/ping`)).text()).toBe('pong');
    service.child.kill('SIGTERM');
    expect(await service.status).toBe(0);

    const limits = [...service.output().matchAll(/^heap limit (\d+)$/gm)].map(([, limit]) => Number(limit));
    // The owner, two threads beside it, and the writers of two files.
    expect(limits).toEqual(Array.from({ length: 5 }, () => limitUnder(flagsOf(manifest.scripts.start))));
    expect(limits[0]).toBeLessThan(limitUnder([]));
    expect(await readdir(join(folder, 'data/keyfold'))).toContain('keyfold.db');
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('the command of the guide runs an operator command', async () => {
    const command = run(`${await commandOf('cli')} --help`);
    expect(await command.status).toBe(0);
    expect(command.output()).toMatch(/^Usage: keyfold /);
  });

  it('an old Node ends with a message that names the version that it needs', async () => {
    const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })";
    const preload = join(folder, 'old.mjs');
    await writeFile(preload, old);
    const service = run(await commandOf('standalone'), { NODE_OPTIONS: `--import=${preload}` });
    expect(await service.status).toBe(78);
    expect(service.output()).toMatch(/^Keyfold needs Node 24 or later, but \S+ is v/);
  });
});

/** Returns the heap limit of Node with these flags in bytes. */
const limitUnder = (flags: readonly string[]) =>
  Number(execFileSync(process.execPath, [...flags, '-p', 'v8.getHeapStatistics().heap_size_limit']));
