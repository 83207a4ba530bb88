import { statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { failedStart } from '../support/failed-start.js';
import { StandaloneProcess, type ProcessEnv } from '../support/standalone-process.js';
import { filesOf } from '../support/stored-data.js';

async function start(env: ProcessEnv = {}): Promise<StandaloneProcess> {
  const app = await StandaloneProcess.start(env);
  onTestFinished(() => app.dispose());
  return app;
}

describe('the data folder', () => {
  it('is made with its parents and is for its owner alone, and so are the secrets in it', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'keyfold-parent-'));
    onTestFinished(() => rm(parent, { recursive: true }));
    const folder = join(parent, 'deep', 'data');
    await start({ KEYFOLD_DATA_DIR: folder });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const secrets = filesOf(folder).filter(({ name }) => name === 'token-secret' || name === 'sealing-key');
    expect(secrets.map(({ mode }) => mode)).toEqual([0o600, 0o600]);
  });

  it('keeps its generated secrets', async () => {
    const secretsOf = (folder: string) =>
      filesOf(folder)
        .filter(({ name }) => name === 'token-secret' || name === 'sealing-key')
        .map(({ bytes }) => bytes.toString());
    const app = await start();
    const before = secretsOf(app.dataDir);
    await app.restart();
    expect(secretsOf(app.dataDir)).toEqual(before);
  });

  it('refuses a second process, which says what to do, while the first goes on', async () => {
    const first = await start();
    const second = await failedStart({ KEYFOLD_DATA_DIR: first.dataDir });
    expect(second.exitCode).toBe(1);
    expect(second.output).toContain(first.dataDir);
    expect(second.output).toContain('KEYFOLD_DATA_DIR');
    expect(second.output.trim().split('\n')).toHaveLength(1);
    expect((await new ApiClient(first.baseUrl).logIn('admin', ADMIN_PASSWORD)).code).toBe(200);
  });

  it('is free again after its process was killed', async () => {
    const first = await start();
    await first.kill();
    const second = await start({ KEYFOLD_DATA_DIR: first.dataDir });
    expect((await new ApiClient(second.baseUrl).logIn('admin', ADMIN_PASSWORD)).code).toBe(200);
  });

  it.each(['keyfold.db', 'views.db'])('of a newer version (%s) is refused and left as it is', async (name) => {
    const app = await start();
    await app.stop();
    setSchemaVersion(join(app.dataDir, name), 99);
    const { exitCode, output } = await failedStart({ KEYFOLD_DATA_DIR: app.dataDir });
    expect(exitCode).toBe(1);
    expect(output).toContain(`${name} has schema 99`);
    expect(output).toContain('start the newer version of the program again, or restore the backup');
    expect(output).not.toMatch(/^\s+at /m);
    expect(schemaVersion(join(app.dataDir, name))).toBe(99);
  });

  it('with a file that is no database is refused without a stack trace', async () => {
    const app = await start();
    await app.stop();
    await writeFile(join(app.dataDir, 'views.db'), 'no database'.repeat(100));
    const { exitCode, output } = await failedStart({ KEYFOLD_DATA_DIR: app.dataDir });
    expect(exitCode).toBe(1);
    expect(output).toContain('cannot use');
    expect(output).not.toMatch(/^\s+at /m);
  });
});

function setSchemaVersion(path: string, version: number): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}

function schemaVersion(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  database.close();
  return found;
}
