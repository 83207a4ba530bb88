import { appendFile, readdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freshCheckout, runIn } from '../support/checkout.js';

/** The folders of all builds of an app, but not the link to the current one. */
async function builds(checkout: string, app: string): Promise<string[]> {
  const names = await readdir(join(checkout, 'dist/apps', app));
  return names.filter((name) => name.startsWith('src.'));
}

/** Starts the smallest app, which builds it if it is stale. */
const runHelp = (checkout: string) => runIn(checkout, process.execPath, ['scripts/start.mjs', 'cli', '--help']).result;

/** Code that a service loads only when an operator needs it. */
const LOADED_LATER = 'libs/operator/src/rabbitmq/replay-feed.ts';

it('a service keeps its build until it ends, and loads the rest of its code from it', async () => {
  const checkout = await freshCheckout();
  const env = {
    KEYFOLD_HOST: '127.0.0.1',
    KEYFOLD_PORT: '0',
    KEYFOLD_MANAGEMENT_PORT: '0',
    KEYFOLD_DATA_DIR: join(checkout, 'data'),
  };
  const rebuild = async () => {
    await appendFile(join(checkout, LOADED_LATER), 'Object.assign(globalThis, { changed: true });\n');
    const { status } = await runIn(checkout, process.execPath, ['scripts/build.mjs', 'standalone']).result;
    expect(status).toBe(0);
  };
  await rebuild();
  const [own] = await builds(checkout, 'standalone');
  const service = runIn(checkout, process.execPath, ['scripts/start.mjs', 'standalone'], env);
  onTestFinished(async () => {
    service.child.kill('SIGKILL');
    await service.result;
  });
  await expect.poll(() => service.written.out, { timeout: 60_000 }).toContain('"msg":"ready"');

  for (const _change of ['first', 'second']) await rebuild();
  const replay = ['scripts/start.mjs', 'cli', 'feed', 'replay', '--dry-run'];
  const { status, out, err } = await runIn(checkout, process.execPath, replay, env).result;
  expect({ status, out, err }).toMatchObject({ status: 0, out: expect.stringContaining('would be sent') });
  // The builds are its own and the current one; the first rebuild is gone.
  expect(await builds(checkout, 'standalone')).toHaveLength(2);
  expect(await builds(checkout, 'standalone')).toContain(own);

  service.child.kill('SIGKILL');
  await service.result;
  await rebuild();
  expect(await builds(checkout, 'standalone')).toHaveLength(1);
});

it('the command is built only when its sources changed, and never runs an outdated or unfinished build', async () => {
  const checkout = await freshCheckout();
  const help = () => runHelp(checkout);
  const change = (file: string, text = '// changed\n') => appendFile(join(checkout, file), text);
  const current = { status: 0, out: expect.stringMatching(/^Usage: keyfold /), err: '' };
  const rebuilt = { ...current, err: expect.stringMatching(/^Building Keyfold, about \d+ s \.\.\.\n$/) };

  // A fresh clone, with both names of the command.
  expect(await runIn(checkout, 'npx', ['keyfold', 'topology', '--help']).result).toEqual(rebuilt);
  expect(await runIn(checkout, 'npm', ['run', '--silent', 'keyfold', '--', 'topology', '--help']).result).toEqual(
    current,
  );

  for (const file of ['domain/src/account/account.state.spec.ts', 'event-store/testing/feed-workers.ts'])
    await change(`libs/${file}`);
  await change('apps/gateway/src/main.ts');
  await utimes(join(checkout, 'libs/domain/src/index.ts'), new Date(), new Date());
  expect(await help()).toEqual(current);
  await change('libs/domain/src/index.ts');
  expect(await help()).toEqual(rebuilt);
  expect(await help()).toEqual(current);

  const [source, elsewhere] = ['apps/cli/src/execute-command.ts', 'execute-command.ts'];
  await rename(join(checkout, source), join(checkout, elsewhere));
  for (const _ of ['first', 'second'])
    expect(await help()).toEqual({ status: 1, out: '', err: expect.stringContaining('./execute-command.js') });
  // The file keeps its modification time, which is older than the last good build.
  await rename(join(checkout, elsewhere), join(checkout, source));
  expect(await help()).toMatchObject({ status: 0, out: current.out });
  await change(source, 'const broken = ;\n');
  expect((await help()).err).toMatch(/apps\/cli\/src\/execute-command\.ts:\d+:/);
});

it('the command is rebuilt after a killed build, and the unfinished build is removed', async () => {
  const checkout = await freshCheckout();
  const killed = runIn(checkout, process.execPath, ['scripts/build.mjs', 'cli']);
  await expect.poll(() => builds(checkout, 'cli').catch(() => []), { interval: 5, timeout: 60_000 }).toHaveLength(1);
  killed.child.kill('SIGKILL');
  await killed.result;
  const [unfinished] = await builds(checkout, 'cli');

  // Processes that start in parallel build it once.
  const built = () =>
    stat(join(checkout, 'dist/apps/cli/src')).then(
      ({ ino }) => ino,
      () => undefined,
    );
  const results = Promise.all([runHelp(checkout), runHelp(checkout), runHelp(checkout)]);
  await expect.poll(built, { timeout: 60_000 }).toBeDefined();
  const first = await built();
  for (const result of await results)
    expect(result).toMatchObject({ status: 0, out: expect.stringMatching(/^Usage: keyfold /) });
  expect(await built()).toBe(first);
  expect(await builds(checkout, 'cli')).toEqual([expect.not.stringContaining(unfinished!)]);
});
