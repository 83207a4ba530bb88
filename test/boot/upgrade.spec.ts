import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { keyfold, runCommand } from '../support/cli.js';
import { failedStart } from '../support/failed-start.js';
import { builtCommand } from '../support/keyfold-process.js';
import { lastingPort } from '../support/lasting-port.js';
import { release } from '../support/programs.js';
import {
  ADVICE,
  NO_PROBLEMS,
  type Created,
  type Entrance,
  expectEveryEvent,
  expectLogins,
  fill,
  listsOf,
  released,
} from '../support/released-service.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { storedCommits } from '../support/stored-data.js';

let app: StandaloneProcess;
let entrance: Entrance;
let created: Created;
let lists: Record<string, unknown>;

const listsNow = () => listsOf(entrance, created);
const folder = () => ({ KEYFOLD_DATA_DIR: app.dataDir });
const runReleased = (input: string, ...words: readonly string[]) => runCommand(released(...words), folder(), input);

/** Changes a file of the data folder as another program. */
function change(file: string, sql: string): void {
  const database = new DatabaseSync(join(app.dataDir, file), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}
const setWrongCodes = (count: number) =>
  change('views.db', `UPDATE throttle SET failures = ${count} WHERE key LIKE 'one-time-code:%'`);

beforeAll(async () => {
  const port = String(await lastingPort());
  const servers = { KEYFOLD_SERVERS_PORT: port, KEYFOLD_SERVERS_TRUSTED: '127.0.0.1' };
  app = await StandaloneProcess.start(servers, released('start'));
  entrance = { api: new ApiClient(app.baseUrl), servers: new ApiClient(`http://127.0.0.1:${port}`) };
  created = await fill(entrance, { operate: runReleased, setWrongCodes });
  const key = readFileSync(join(app.dataDir, 'sealing-key'), 'utf8').trim();
  await app.restart({ KEYFOLD_SEALING_KEY: `later:${randomBytes(32).toString('base64')},${key}` });
  expect(await runReleased('', 'secrets', 'reseal')).toMatchObject({ status: 0 });
  lists = await listsNow();
  expect(await app.stop()).toBe(0);
});
afterAll(() => app?.dispose());

it(`${release.version} has stored every kind of event that it can`, () => {
  expectEveryEvent(storedCommits(app.dataDir).flatMap(({ events }) => events.map(({ type }) => type)));
});

describe(`this version on the folder of ${release.version}`, () => {
  beforeAll(async () => {
    app.command = builtCommand('standalone');
    await app.restart();
  });

  it('answers every list alike', async () => {
    expect(await listsNow()).toEqual(lists);
  });

  it('accepts every login', () => expectLogins(entrance, created, created.owners[0]));

  it('finds no problem with `keyfold verify`', async () => {
    expect(await keyfold(folder(), 'verify')).toMatchObject({ status: 0, out: NO_PROBLEMS });
  });
});

describe(`${release.version} on the folder again`, () => {
  beforeAll(async () => {
    await newMember(await adminOf(entrance.api), 'dora');
    lists = await listsNow();
    app.command = released('start');
    await app.restart();
  });

  it('answers every list alike, with the changes of this version', async () => {
    expect(JSON.stringify(lists['/api/admin/user/list'])).toContain('"dora"');
    expect(await listsNow()).toEqual(lists);
  });

  it('accepts every login', () => expectLogins(entrance, created, created.owners[1]));

  it('finds no problem with `keyfold verify`', async () => {
    expect(await runReleased('', 'verify')).toMatchObject({ status: 0, out: NO_PROBLEMS });
  });
});

it(`${release.version} refuses a newer folder and says what to do`, async () => {
  await app.stop();
  change('keyfold.db', 'PRAGMA user_version = 99');
  const { exitCode, output } = await failedStart(folder(), released('start'));
  expect([exitCode, output]).toEqual([1, expect.stringMatching(ADVICE)]);
  const command = await runReleased('', 'verify');
  expect(command).toMatchObject({ status: 1, out: '', err: expect.stringMatching(ADVICE) });
});
