import { appendFile, mkdir, readdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshCheckout, runIn } from '../support/checkout.js';
import { StandaloneProcess } from '../support/standalone-process.js';

const BUILDING = /^Building Keyfold, about \d+ s \.\.\.\n$/;
const USAGE = /^Usage: keyfold /;
const BUILD = /^src\.build-[0-9a-f-]{36}$/;

/** Starts the smallest app, which builds it if it is stale. */
const help = (checkout: string) => runIn(checkout, process.execPath, ['scripts/start.mjs', 'cli', '--help']).result;

describe('on a fresh clone', () => {
  it.each([
    ['npx keyfold', ['npx', 'keyfold']],
    ['npm run --silent keyfold', ['npm', 'run', '--silent', 'keyfold', '--']],
  ])('%s builds the command and prints nothing but its output', async (_, [program = '', ...args]) => {
    const [checkout, app] = await Promise.all([freshCheckout(), StandaloneProcess.start()]);
    onTestFinished(() => app.dispose());
    const command = runIn(checkout, program, [...args, 'projections', 'status', '--json'], {
      KEYFOLD_DATA_DIR: app.dataDir,
    });
    const { status, out, err } = await command.result;
    expect({ status, err }).toEqual({ status: 0, err: expect.stringMatching(BUILDING) });
    expect(JSON.parse(out)).toBeTypeOf('object');
  });
});

/** Code that a service loads only when an operator needs it. */
const LOADED_LATER = 'libs/operator/src/rabbitmq/replay-feed.ts';

it('a running service keeps its build until it ends, and loads the rest of its code from it', async () => {
  const checkout = await freshCheckout();
  const env = {
    KEYFOLD_HOST: '127.0.0.1',
    KEYFOLD_PORT: '0',
    KEYFOLD_MANAGEMENT_PORT: '0',
    KEYFOLD_DATA_DIR: join(checkout, 'data'),
  };
  const builds = async () => {
    const names = await readdir(join(checkout, 'dist/apps/standalone'));
    return names.filter((name) => BUILD.test(name));
  };
  const rebuild = async (change: string) => {
    await appendFile(join(checkout, LOADED_LATER), `Object.assign(globalThis, { ${change}: true });\n`);
    const { status } = await runIn(checkout, process.execPath, ['scripts/build.mjs', 'apps/standalone/src/main.ts'])
      .result;
    expect(status).toBe(0);
  };
  const service = runIn(checkout, process.execPath, ['scripts/start.mjs', 'standalone'], env);
  onTestFinished(async () => {
    service.child.kill('SIGTERM');
    await service.result;
  });
  await expect.poll(() => service.written.out, { timeout: 60_000 }).toContain('"msg":"ready"');
  const [own] = await builds();

  for (const change of ['first', 'second', 'third']) await rebuild(change);
  const replay = ['scripts/start.mjs', 'cli', 'feed', 'replay', '--dry-run'];
  const { status, out, err } = await runIn(checkout, process.execPath, replay, env).result;
  expect({ status, out, err }).toMatchObject({ status: 0, out: expect.stringContaining('would be sent') });
  // The builds are its own, the current one and the previous one; the first rebuild is gone.
  expect(await builds()).toHaveLength(3);
  expect(await builds()).toContain(own);

  service.child.kill('SIGTERM');
  await service.result;
  await rebuild('fourth');
  expect(await builds()).toHaveLength(2);
  expect(await builds()).not.toContain(own);
});

describe('an app', () => {
  it('is built when a source changes, and not when another file does', async () => {
    const checkout = await freshCheckout();
    const touch = (file: string) => utimes(join(checkout, file), new Date(), new Date());
    expect(await help(checkout)).toMatchObject({
      status: 0,
      out: expect.stringMatching(USAGE),
      err: expect.stringMatching(BUILDING),
    });
    await touch('libs/domain/src/account/account.state.spec.ts');
    await touch('libs/event-store/testing/feed-workers.ts');
    await touch('apps/gateway/src/main.ts');
    expect(await help(checkout)).toMatchObject({ status: 0, err: '' });
    await touch('libs/domain/src/index.ts');
    expect(await help(checkout)).toMatchObject({ status: 0, err: expect.stringMatching(BUILDING) });
    expect(await help(checkout)).toMatchObject({ status: 0, err: '' });
  });

  it('does not start after a failed build, until a build succeeds', async () => {
    const checkout = await freshCheckout();
    const [source, elsewhere] = ['apps/cli/src/execute-command.ts', 'execute-command.ts'].map((file) =>
      join(checkout, file),
    );
    await help(checkout);
    await rename(source!, elsewhere!);
    for (const _ of ['first', 'second']) {
      const { status, out, err } = await help(checkout);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toContain('./execute-command.js');
    }
    // The file keeps its modification time, which is older than the last good build.
    await rename(elsewhere!, source!);
    expect(await help(checkout)).toMatchObject({ status: 0, out: expect.stringMatching(USAGE) });
    await appendFile(source!, 'const broken = ;\n');
    expect((await help(checkout)).err).toMatch(/apps\/cli\/src\/execute-command\.ts:\d+:/);
  });

  it('is rebuilt after an interrupted build, whose lock is taken over', async () => {
    const checkout = await freshCheckout();
    const unfinished = join(checkout, 'dist/apps/cli/src.build-unfinished');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'main.js'), 'throw new Error("unfinished");');
    const { pid } = spawnSync(process.execPath, ['--version']);
    await writeFile(join(checkout, 'dist/.build-lock'), String(pid));
    expect(await help(checkout)).toMatchObject({ status: 0, out: expect.stringMatching(USAGE) });
    expect(await readdir(join(checkout, 'dist/apps/cli'))).toEqual(['src', expect.stringMatching(BUILD)]);
    expect(await readdir(join(checkout, 'dist/apps/cli'))).not.toContain('src.build-unfinished');
  });

  it('is built once by processes that start in parallel', async () => {
    const checkout = await freshCheckout();
    const built = () =>
      stat(join(checkout, 'dist/apps/cli/src')).then(
        ({ ino }) => ino,
        () => undefined,
      );
    const results = Promise.all([help(checkout), help(checkout), help(checkout)]);
    await expect.poll(built, { timeout: 60_000 }).toBeDefined();
    const first = await built();
    for (const result of await results) expect(result).toMatchObject({ status: 0, out: expect.stringMatching(USAGE) });
    expect(await built()).toBe(first);
  });
});
