import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StandaloneProcess, StartFailure } from '../support/standalone-process.js';

const APP = `
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const { KEYFOLD_PORT, KEYFOLD_DATA_DIR, KEYFOLD_ADMIN_PASSWORD, EXTRA } = process.env;
if (!KEYFOLD_ADMIN_PASSWORD) { console.error('a password is missing'); process.exit(3); }
appendFileSync(KEYFOLD_DATA_DIR + '/starts', '+');
console.log('started with', EXTRA);
const server = createServer((_, response) => response.end(readFileSync(KEYFOLD_DATA_DIR + '/starts')));
server.listen(Number(KEYFOLD_PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(5));
`;

let folder: string;
let entry: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyfold-app-'));
  entry = join(folder, 'app.mjs');
  await writeFile(entry, APP);
});

afterAll(() => rm(folder, { recursive: true }));

async function start(env = {}): Promise<StandaloneProcess> {
  const started = await StandaloneProcess.start(env, entry);
  onTestFinished(() => started.dispose());
  return started;
}

describe('a process', () => {
  it('is ready once started, and stops with its exit code', async () => {
    const app = await start({ EXTRA: 'spice' });
    expect(await (await fetch(app.baseUrl)).text()).toBe('+');
    expect(app.output()).toContain('started with spice');
    expect(await app.stop()).toBe(5);
  });

  it('keeps data, address and variables over restarts and kills', async () => {
    const app = await start({ EXTRA: 'spice' });
    const { pid, baseUrl } = app;
    await app.kill();
    await app.restart();
    await app.restart({ EXTRA: 'salt' });
    expect(app.pid).not.toBe(pid);
    expect(await (await fetch(baseUrl)).text()).toBe('+++');
    expect(app.output().match(/spice|salt/g)).toEqual(['spice', 'spice', 'salt']);
  });

  it('that exits before it is ready fails at once with its exit code and output', async () => {
    const failure: unknown = await start({ KEYFOLD_ADMIN_PASSWORD: undefined }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartFailure);
    expect(failure).toMatchObject({ exitCode: 3, output: 'a password is missing\n' });
  });

  it('leaves nothing behind', async () => {
    const app = await start();
    const { pid, dataDir } = app;
    await app.dispose();
    expect(existsSync(dataDir)).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
