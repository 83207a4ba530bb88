import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freshCheckout, runIn } from '../support/checkout.js';
import { lastingPort } from '../support/lasting-port.js';

const SOURCE = 'apps/standalone/src/standalone.module.ts';
const POLL = { timeout: 60_000 };

const isUp = (url: string) => fetch(url).then(Boolean, () => false);
const count = (text: string, part: string) => text.split(part).length - 1;

/** Starts `npm run dev -- --inspect` on its own checkout. */
async function startDev() {
  const checkout = await freshCheckout();
  const port = await lastingPort();
  const env = {
    KEYFOLD_HOST: '127.0.0.1',
    KEYFOLD_PORT: String(port),
    KEYFOLD_MANAGEMENT_PORT: '0',
    KEYFOLD_DATA_DIR: join(checkout, 'data'),
  };
  const dev = runIn(checkout, process.execPath, ['scripts/dev.mjs', '--inspect=127.0.0.1:0'], env);
  onTestFinished(async () => {
    dev.child.kill('SIGTERM');
    await dev.result;
  });
  return {
    ...dev,
    source: join(checkout, SOURCE),
    url: `http://127.0.0.1:${port}/ping`,
    async untilReady(times: number) {
      await expect.poll(() => count(dev.written.out, '"msg":"ready"'), POLL).toBe(times);
    },
    async untilShown(text: string) {
      await expect.poll(() => dev.written.err, POLL).toContain(text);
    },
  };
}

it('npm run dev restarts the app when a source changes and passes flags to Node', async () => {
  const dev = await startDev();
  await dev.untilReady(1);
  await appendFile(dev.source, "console.log('changed once');\n");
  await dev.untilReady(2);
  expect(dev.written.out).toContain('changed once');
  expect(count(dev.written.err, 'Debugger listening on ')).toBe(2);
  expect(dev.written.err).toContain(`${SOURCE} changed, building`);
  expect(await isUp(dev.url)).toBe(true);
  dev.child.kill('SIGINT');
  expect((await dev.result).status).toBe(0);
  expect(await isUp(dev.url)).toBe(false);
});

it('npm run dev keeps the app when a source does not compile, and restarts it after one that throws', async () => {
  const dev = await startDev();
  await dev.untilReady(1);
  const good = await readFile(dev.source, 'utf8');
  await writeFile(dev.source, `${good}const broken = ;\n`);
  await dev.untilShown('The build failed, waiting for a change');
  expect(dev.written.err).toContain(`${SOURCE}:`);
  expect(await isUp(dev.url)).toBe(true);
  await writeFile(dev.source, `${good}throw new Error('thrown at start');\n`);
  await dev.untilShown('The app exited with status 1, waiting for a change');
  // The stack trace names the source.
  await expect
    .poll(() => dev.written.err, { timeout: 20_000 })
    .toMatch(/thrown at start\n +at .*standalone\.module\.ts:\d+/);
  await writeFile(dev.source, good);
  await dev.untilReady(2);
});
