import { appendFile, readdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshCheckout, runIn } from '../support/checkout.js';

const BUILDING = /^Building Keyfold, about \d+ s \.\.\.\n$/;
const USAGE = /^Usage: keyfold /;

/** Starts the smallest app, which builds it if it is stale. */
const help = (checkout: string) => runIn(checkout, process.execPath, ['scripts/start.mjs', 'cli', '--help']).result;

it('on a fresh clone both names of the command build it once and print nothing but its output', async () => {
  const checkout = await freshCheckout();
  const [first, second] = [
    await runIn(checkout, 'npx', ['keyfold', 'topology', '--help']).result,
    await runIn(checkout, 'npm', ['run', '--silent', 'keyfold', '--', 'topology', '--help']).result,
  ];
  expect(first).toEqual({
    status: 0,
    out: expect.stringMatching(/^Usage: keyfold topology /),
    err: expect.stringMatching(BUILDING),
  });
  expect(second).toEqual({ ...first, err: '' });
});

/** The folders of all builds of an app, but not the link to the current one. */
async function builds(checkout: string, app: string): Promise<string[]> {
  const names = await readdir(join(checkout, 'dist/apps', app));
  return names.filter((name) => name.startsWith('src.'));
}

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

describe('an app', () => {
  it('is built when the content of a source changes, and not when another file does', async () => {
    const checkout = await freshCheckout();
    const change = (file: string) => appendFile(join(checkout, file), '// changed\n');
    expect(await help(checkout)).toMatchObject({
      status: 0,
      out: expect.stringMatching(USAGE),
      err: expect.stringMatching(BUILDING),
    });
    await change('libs/domain/src/account/account.state.spec.ts');
    await change('libs/event-store/testing/feed-workers.ts');
    await change('apps/gateway/src/main.ts');
    await utimes(join(checkout, 'libs/domain/src/index.ts'), new Date(), new Date());
    expect(await help(checkout)).toMatchObject({ status: 0, err: '' });
    await change('libs/domain/src/index.ts');
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

  it('is rebuilt after a killed build, and the unfinished build is removed', async () => {
    const checkout = await freshCheckout();
    const killed = runIn(checkout, process.execPath, ['scripts/build.mjs', 'cli']);
    await expect.poll(() => builds(checkout, 'cli').catch(() => []), { interval: 5, timeout: 60_000 }).toHaveLength(1);
    killed.child.kill('SIGKILL');
    await killed.result;
    const [unfinished] = await builds(checkout, 'cli');
    expect(await help(checkout)).toMatchObject({ status: 0, out: expect.stringMatching(USAGE) });
    expect(await builds(checkout, 'cli')).toEqual([expect.not.stringContaining(unfinished!)]);
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
