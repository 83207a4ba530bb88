import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freshCheckout, runIn } from '../support/checkout.js';
import { lastingPort } from '../support/lasting-port.js';

const SOURCE = 'apps/standalone/src/standalone.module.ts';
const POLL = { timeout: 60_000 };

const count = (text: string, part: string) => text.split(part).length - 1;

it('npm run dev restarts the app when a source changes, keeps it while one does not compile, and passes flags to Node', async () => {
  const checkout = await freshCheckout();
  const port = await lastingPort();
  const env = {
    KEYFOLD_HOST: '127.0.0.1',
    KEYFOLD_PORT: String(port),
    KEYFOLD_MANAGEMENT_PORT: '0',
    KEYFOLD_DATA_DIR: join(checkout, 'data'),
  };
  const { child, result, written } = runIn(
    checkout,
    process.execPath,
    ['scripts/dev.mjs', '--inspect=127.0.0.1:0'],
    env,
  );
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await result;
  });
  const source = join(checkout, SOURCE);
  const isUp = () => fetch(`http://127.0.0.1:${port}/ping`).then(Boolean, () => false);
  const untilReady = async (times: number) =>
    await expect.poll(() => count(written.out, '"msg":"ready"'), POLL).toBe(times);
  const untilShown = async (text: string | RegExp) => await expect.poll(() => written.err, POLL).toMatch(text);
  await untilReady(1);
  const good = await readFile(source, 'utf8');

  await appendFile(source, "console.log('changed once');\n");
  await untilReady(2);
  expect(written.out).toContain('changed once');
  expect(count(written.err, 'Debugger listening on ')).toBe(2);
  expect(written.err).toContain(`${SOURCE} changed, building`);
  expect(await isUp()).toBe(true);

  await writeFile(source, `${good}const broken = ;\n`);
  await untilShown('The build failed, waiting for a change');
  expect(written.err).toContain(`${SOURCE}:`);
  expect(await isUp()).toBe(true);

  await writeFile(source, `${good}throw new Error('thrown at start');\n`);
  await untilShown('The app exited with status 1, waiting for a change');
  // The stack trace names the source.
  await untilShown(/thrown at start\n +at .*standalone\.module\.ts:\d+/);

  await writeFile(source, good);
  await untilReady(3);
  child.kill('SIGINT');
  expect((await result).status).toBe(0);
  expect(await isUp()).toBe(false);
});
