import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold } from '../support/cli.js';
import { failedStart, usedPort } from '../support/failed-start.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { filesOf } from '../support/stored-data.js';

let parent: string;
let folder: string;
let app: StandaloneProcess;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'keyfold-parent-'));
  folder = join(parent, 'deep', 'data');
  app = await StandaloneProcess.start({ KEYFOLD_DATA_DIR: folder });
});

afterAll(async () => {
  await app.dispose();
  await rm(parent, { recursive: true });
});

const logIn = async () => (await new ApiClient(app.baseUrl).logIn('admin', ADMIN_PASSWORD)).code;
const modes = () => Object.fromEntries(filesOf(folder).map(({ name, mode }) => [name, mode]));
const secretFiles = () => filesOf(folder).filter(({ name }) => name === 'token-secret' || name === 'sealing-key');

describe('the data folder', () => {
  it('is created with its parents; it and every file in it are private to the owner', () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(modes()).toMatchObject({
      'keyfold.db': 0o600,
      'keyfold.db-wal': 0o600,
      'keyfold.db-shm': 0o600,
      'views.db': 0o600,
      'sealing-key': 0o600,
      'token-secret': 0o600,
    });
    expect(new Set(Object.values(modes()))).toEqual(new Set([0o600]));
  });

  it('refuses a second process with advice, while the first continues', async () => {
    const second = await failedStart({ KEYFOLD_DATA_DIR: folder });
    expect(second.exitCode).toBe(1);
    expect(second.output).toBe(
      `keyfold cannot start: Keyfold already runs on the data folder ${folder} (process ${app.pid}). Stop that process first, or set KEYFOLD_DATA_DIR to another folder\n`,
    );
    expect(await logIn()).toBe(200);
  });

  it('refuses a second process before it finds its ports in use', async () => {
    const env = { KEYFOLD_DATA_DIR: folder, KEYFOLD_MANAGEMENT_PORT: await usedPort() };
    const { exitCode, output } = await failedStart(env);
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^keyfold cannot start: Keyfold already runs/);
  });

  it('is free again after its process was killed, and keeps its secrets', async () => {
    const before = secretFiles();
    await app.kill();
    await app.restart();
    expect(await logIn()).toBe(200);
    expect(secretFiles()).toEqual(before);
  });

  it('gets its file permissions tightened at the next start', async () => {
    await app.kill();
    expect(Object.keys(modes())).toContain('keyfold.db-wal');
    for (const name of Object.keys(modes())) chmodSync(join(folder, name), 0o644);
    await app.restart();
    expect(new Set(Object.values(modes()))).toEqual(new Set([0o600]));
  });

  it.each(['views.db', 'keyfold.db'])('of a newer version (%s) is refused and left unchanged', async (name) => {
    await app.stop();
    const path = join(folder, name);
    const known = schemaVersion(path);
    setSchemaVersion(path, 99);
    const { exitCode, output } = await failedStart({ KEYFOLD_DATA_DIR: folder });
    expect(exitCode).toBe(1);
    expect(output).toContain(`${name} has schema 99`);
    expect(output).toContain('Start the newer version again, or restore the backup');
    expect(output).not.toMatch(/^\s+at /m);
    expect(schemaVersion(path)).toBe(99);
    setSchemaVersion(path, known);
  });

  it('with a file that is not a database is refused without a stack trace', async () => {
    await app.stop();
    await writeFile(join(folder, 'views.db'), 'no database'.repeat(100));
    const { exitCode, output } = await failedStart({ KEYFOLD_DATA_DIR: folder });
    expect(exitCode).toBe(1);
    expect(output).toContain(`cannot use ${join(folder, 'views.db')}`);
    expect(output).not.toMatch(/^\s+at /m);
  });
});

describe('a data folder that somebody else prepared', () => {
  /** Returns a folder of another user. Only root can give one away; for others, one of root will do. */
  const foreignFolder = () => {
    if (process.getuid!() !== 0) return '/usr';
    const path = join(parent, 'foreign');
    mkdirSync(path, { recursive: true, mode: 0o777 });
    chownSync(path, 4_242, 4_242);
    return path;
  };

  it('is refused as invalid configuration, and nothing is written into it', async () => {
    const path = foreignFolder();
    const before = await readdir(path);
    const { exitCode, output } = await failedStart({ KEYFOLD_DATA_DIR: path });
    expect(exitCode).toBe(78);
    expect(output).toMatch(
      /^keyfold cannot start: the configuration is invalid:\n- KEYFOLD_DATA_DIR: \S+ belongs to user \d+, but Keyfold runs as user \d+\./,
    );
    expect(await readdir(path)).toEqual(before);
  });

  it.each(['token-secret', 'keyfold.db'])('is refused if %s is a symbolic link, also by the command', async (name) => {
    if (app.isRunning) await app.stop();
    const [path, elsewhere] = [join(folder, name), join(parent, `moved-${name}`)];
    await rename(path, elsewhere);
    await symlink(elsewhere, path);
    const problem = `${path} is not a regular file.`;
    const start = await failedStart({ KEYFOLD_DATA_DIR: folder });
    expect(start).toMatchObject({ exitCode: 78, output: expect.stringContaining(problem) });
    const command = await keyfold({ KEYFOLD_DATA_DIR: folder }, 'verify');
    expect(command).toMatchObject({ status: 78, out: '', err: expect.stringContaining(problem) });
    await rm(path);
    await rename(elsewhere, path);
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
