import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newKeyLine, type KeyLine } from '../support/key-line.js';
import { authorizedKeysOf, inMilliseconds, listedKeysOf, ownersOf } from '../support/ssh-key-routes.js';
import { eventually } from '../support/eventually.js';
import { keyfold } from '../support/cli.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { sshKeyRings } from '@keyfold/projections';

let app: StandaloneProcess;
let admin: ApiClient;
let member: ApiClient;
let keys: KeyLine[];

/** Changes the views to what a release with the previous schema number of key rings left: other documents, no index of keys, and its own checkpoint. */
function makeOlder(dataDir: string): void {
  const [table, older] = [tableOf(sshKeyRings.schema), tableOf(sshKeyRings.schema - 1)];
  const views = new DatabaseSync(join(dataDir, 'views.db'));
  views.exec(`
    DROP TABLE ${table};
    DROP TABLE ssh_key_owners_1;
    CREATE TABLE ${older} (stream TEXT PRIMARY KEY, keys TEXT NOT NULL) STRICT;
    INSERT INTO ${older} VALUES ('ssh-keys-3', '[]')`);
  const renamed = views.prepare('UPDATE checkpoints SET reader = replace(reader, ?, ?) WHERE instr(reader, ?) > 0');
  expect(renamed.run(table, older, table).changes).toBe(1);
  views.close();
}
const tableOf = (schema: number) => `${sshKeyRings.name}_${schema}`;

beforeAll(async () => {
  app = await StandaloneProcess.start();
  admin = await adminOf(new ApiClient(app.baseUrl));
  member = await newMember(admin, 'ann');
  keys = Array.from({ length: 3 }, newKeyLine);
  for (const [n, { line }] of keys.entries())
    (await member.post('/api/me/sshkey/add', { title: `key ${n}`, key: line })).data();
  expect(await app.stop()).toBe(0);
  makeOlder(app.dataDir);
  await app.restart();
});
afterAll(() => app?.dispose());

it('a data folder of the previous release opens, and its keys are listed and found', async () => {
  expect((await listedKeysOf(member)).map(({ title, expired }) => [title, expired])).toEqual([
    ['key 0', false],
    ['key 1', false],
    ['key 2', false],
  ]);
  for (const [n, { fingerprint }] of keys.entries())
    expect((await ownersOf(admin, fingerprint)).content).toMatchObject([{ username: 'ann', title: `key ${n}` }]);
});

it('a key of the previous release can expire, and its event follows', async () => {
  const [first] = await listedKeysOf(member);
  (await member.post('/api/me/sshkey/update', { id: first!.id, expires: inMilliseconds(500) })).data();
  await eventually(async () => expect(await authorizedKeysOf(member)).toHaveLength(2));
  const stream = `ssh-keys-${Math.floor(first!.id / 2 ** 20)}`;
  await eventually(async () => {
    const { out } = await keyfold({ KEYFOLD_DATA_DIR: app.dataDir }, 'events', 'show', stream);
    expect(out).toContain('SshKeyExpired');
  });
});

it('the folder has no problem for `keyfold verify`', async () => {
  const { status, out, err } = await keyfold({ KEYFOLD_DATA_DIR: app.dataDir }, 'verify');
  expect(status, out + err).toBe(0);
});
