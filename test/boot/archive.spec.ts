import { execFileSync, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { ApiClient } from '../support/api-client.js';
import { brokenLinksOf } from '../support/broken-links.js';
import { unpackArchive } from '../support/built-archive.js';
import { lastingPort } from '../support/lasting-port.js';
import { findProgram } from '../support/programs.js';
import { componentsOf, contents, sbomOf } from '../support/release-contents.js';

const flagsOf = (command: string) => command.split(' ').filter((word) => word.startsWith('--'));
/** Writes the heap limit of each thread, including those that only write files. */
const REPORT = `import v8 from 'node:v8'; console.log('heap limit', v8.getHeapStatistics().heap_size_limit);`;

let folder: string;
let installed: string;
let keyfold: string;
beforeAll(async () => {
  ({ folder, installed } = await unpackArchive());
  // A link, as operators have it in the search path.
  keyfold = join(folder, 'link');
  await symlink(join(installed, 'keyfold'), keyfold);
  for (const name of ['data', 'elsewhere', 'programs']) await mkdir(join(folder, name));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a program from another working directory, on a search path without Node. */
function run(program: string, words: readonly string[], env: Record<string, string> = {}) {
  const path = `${join(folder, 'programs')}:/usr/bin:/bin`;
  const child = spawn(program, words, { cwd: join(folder, 'elsewhere'), env: { PATH: path, ...env } });
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

async function settingsFile(...lines: string[]): Promise<{ KEYFOLD_ENV_FILE: string }> {
  const file = join(folder, 'keyfold.env');
  await writeFile(file, lines.join('\n'));
  return { KEYFOLD_ENV_FILE: file };
}

async function expectEnd(words: readonly string[], env: Record<string, string>, status: number, message: RegExp) {
  const command = run(keyfold, words, env);
  expect([await command.status, command.output()]).toEqual([status, expect.stringMatching(message)]);
}

describe('the archive', () => {
  it('runs the service and commands beside it with the settings of a file, and the heap limits of npm start', async () => {
    const port = await lastingPort();
    const report = join(folder, 'report.mjs');
    await writeFile(report, REPORT);
    const settings = await settingsFile(
      '# one file for the service and the commands',
      `KEYFOLD_DATA_DIR=${join(folder, 'data/keyfold')}`,
      'KEYFOLD_HOST="127.0.0.1"',
      'KEYFOLD_ADMIN_PASSWORD=first#password',
      'KEYFOLD_PORT=1',
      'KEYFOLD_MANAGEMENT_PORT=0',
      '',
      'KEYFOLD_THREADS=3',
    );
    // The environment wins.
    const env = { KEYFOLD_PORT: String(port), NODE_OPTIONS: `--import=${report}`, ...settings };
    const service = run(keyfold, ['start'], env);
    await expect.poll(service.output, { timeout: 60_000 }).toContain(`"version":"${manifest.version}"`);
    expect(await (await fetch(`http://127.0.0.1:${port}/ping`)).text()).toBe('pong');
    (await new ApiClient(`http://127.0.0.1:${port}`).logIn('admin', 'first#password')).data();
    const list = run(keyfold, ['account', 'list'], settings);
    expect(await list.status).toBe(0);
    expect(list.output()).toContain('admin');
    service.child.kill('SIGTERM');
    expect(await service.status).toBe(0);

    const limits = [...service.output().matchAll(/^heap limit (\d+)$/gm)].map(([, limit]) => Number(limit));
    // The owner, two threads beside it, and the writer of the files.
    expect(limits).toEqual(Array.from({ length: 4 }, () => limitUnder(flagsOf(manifest.scripts.start))));
    expect(limits[0]).toBeLessThan(limitUnder([]));
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('contains no package that its bill of materials lacks', () => {
    const known = new Set(componentsOf(sbomOf(contents)).map(({ name, version }) => `${name}@${version}`));
    const files = globSync(['**/node_modules/*/package.json', '**/node_modules/@*/*/package.json'], { cwd: installed });
    const ids = files.map((file) => {
      const { name, version } = JSON.parse(readFileSync(join(installed, file), 'utf8')) as Record<string, string>;
      return `${name}@${version}`;
    });
    expect(ids.length).toBeGreaterThan(50);
    expect(ids.filter((id) => !known.has(id))).toEqual([]);
  });

  it('contains what its pages link to and what its guides copy, and no secrets', async () => {
    const pages = globSync('{*.md,docs/**/*.md,deploy/**/*.md}', { cwd: installed });
    expect(pages.length).toBeGreaterThan(100);
    expect(pages.flatMap((page) => brokenLinksOf(installed, page))).toEqual([]);
    const texts = pages.map((page) => readFileSync(join(installed, page), 'utf8')).join('\n');
    const named = new Set(
      [...texts.matchAll(/(?<![\w/.-])deploy\/(?!secrets|keyfold-)[\w/.@-]*\w/g)].map(([path]) => path),
    );
    expect(named.size).toBeGreaterThan(30);
    expect([...named].filter((path) => globSync(`${path}*`, { cwd: installed }).length === 0)).toEqual([]);
    expect(globSync('deploy/**/{secrets,node_modules}', { cwd: installed })).toEqual([]);
    // A machine without Go builds the archive without it.
    const hasGo = findProgram('go') !== undefined;
    expect(globSync('keyfold-ssh', { cwd: installed })).toEqual(hasGo ? ['keyfold-ssh'] : []);
  });

  it('runs gateways and workers, which name the settings that they lack', async () => {
    const settings = await settingsFile('');
    for (const name of ['gateway', 'worker']) await expectEnd([name], settings, 78, /KEYFOLD_MONGODB_URI/);
  });

  it('refuses arguments of a process, and settings files that it cannot read', async () => {
    await expectEnd(['start', '--port', '80'], {}, 78, /"keyfold start" takes no arguments.*environment variables/);
    const missing = { KEYFOLD_ENV_FILE: join(folder, 'missing') };
    await expectEnd(['account', 'list'], missing, 78, /^keyfold: cannot read the settings: .*missing/);
    for (const line of ['KEYFOLD_PORT 80', 'NODE_OPTIONS=--inspect']) {
      const wrong = await settingsFile('# port', line);
      await expectEnd(['start'], wrong, 78, /keyfold\.env, line 2: write KEYFOLD_…=value/);
    }
  });

  it('shows help and version without its settings', async () => {
    const missing = { KEYFOLD_ENV_FILE: join(folder, 'missing') };
    for (const words of [[], ['--help'], ['start', '--help']]) await expectEnd(words, missing, 0, /^Usage: keyfold /);
    await expectEnd(['--version'], missing, 0, new RegExp(`^Keyfold v${manifest.version}\n$`));
  });

  it('names what to install on a machine that it does not fit', async () => {
    const pretend = async (program: string, answer: string) => {
      const file = join(folder, 'programs', program);
      await writeFile(file, `#!/bin/sh\n${answer}\n`);
      await chmod(file, 0o755);
      onTestFinished(() => rm(file, { force: true }));
    };
    const otherCpu = process.arch === 'x64' ? 'aarch64' : 'x86_64';
    const start = (message: RegExp) => expectEnd(['start'], {}, 1, message);
    await pretend('getconf', 'exit 1');
    await start(/cannot find glibc .*Use the container image or the sources/);
    await pretend('getconf', 'echo glibc 2.27');
    await start(/has glibc 2\.27, and Keyfold needs 2\.28.*Use the container image/);
    await pretend('uname', `echo Linux ${otherCpu}`);
    await start(/this archive is for linux-\w+, and this machine is linux-\w+\. Download the archive for linux-/);
    await pretend('uname', 'echo Linux riscv64');
    await start(/no archive for Linux riscv64/);
  });
});

it('an app under an old Node ends with a message that names the version that it needs', async () => {
  const preload = join(folder, 'old.mjs');
  await writeFile(
    preload,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
  );
  const main = resolve(import.meta.dirname, '../../dist/apps/standalone/src/main.js');
  const service = run(process.execPath, [main], { NODE_OPTIONS: `--import=${preload}` });
  expect(await service.status).toBe(78);
  expect(service.output()).toMatch(/^Keyfold needs Node 24 or later, but \S+ is v/);
});

/** Returns the heap limit of Node with these flags in bytes. */
const limitUnder = (flags: readonly string[]) =>
  Number(execFileSync(process.execPath, [...flags, '-p', 'v8.getHeapStatistics().heap_size_limit']));
