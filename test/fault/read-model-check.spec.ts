import { absentAccount } from '@keyfold/domain';
import { accountStream, sshKeyRingStream } from '@keyfold/projections';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { disabled, registered } from '../../libs/domain/testing/account.events.js';
import { keyAdded } from '../../libs/domain/testing/ssh-key-ring.events.js';
import { EmbeddedProjections } from '../../libs/projections/testing/embedded-projections.js';
import { compareWithReadModels, foldEverything } from '../support/read-model-check.js';

const account = accountStream(7);

/** An account and its keys, projected. */
async function projected() {
  const projections = new EmbeddedProjections();
  await projections.append(account, registered('ann'));
  await projections.append(sshKeyRingStream(7), keyAdded(1, 'laptop'));
  await projections.append(account, disabled);
  await projections.newProjector().catchUp();
  return projections;
}
const differences = async ({ store, readModels }: EmbeddedProjections) =>
  compareWithReadModels(await foldEverything(store), readModels);

function damage({ path }: { path: string }, sql: string) {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

it('finds nothing where the documents are what the streams lead to', async () => {
  const projections = await projected();
  expect(await foldEverything(projections.store)).toMatchObject({ commits: 3, problems: [] });
  expect(await differences(projections)).toEqual([]);
});

it.each([
  ['a missing document', 'DELETE FROM ssh_key_rings_1', 'stream ssh-keys-7 has no document'],
  ['a document that is behind', 'UPDATE accounts_1 SET version = 1', 'account-7 is at version 1, its stream at 2'],
  ['a document that differs', "UPDATE ssh_key_rings_1 SET state = '{}'", 'the document of ssh-keys-7 differs'],
  ['an entry that a list lacks', 'UPDATE accounts_1 SET place = NULL', 'the list of accounts has 0 entries'],
  [
    'a parked stream',
    "INSERT INTO parked_streams VALUES ('account-8', '8', 1, 'unknown event', 0)",
    'account-8 is parked: unknown event',
  ],
])('finds %s', async (_, sql, sentence) => {
  const projections = await projected();
  damage(projections.views, sql);
  expect((await differences(projections)).join('\n')).toContain(sentence);
});

it('finds an entry that a list should not have', async () => {
  const projections = await projected();
  await projections.readModels.put(accountStream(8), { state: { ...absentAccount, status: 'active' }, version: 1 });
  expect(await differences(projections)).toEqual([expect.stringContaining('the list of accounts has 2 entries')]);
});

it.each([
  ['a position that is missing', 'UPDATE commits SET position = 9 WHERE position = 3', 'has position 9 where 3 is due'],
  ['a version that is missing', 'UPDATE commits SET version = 3 WHERE position = 3', 'does not follow commit 1'],
  ['an event that cannot be read', 'UPDATE commits SET events = \'[{"type":"X","v":1}]\'', 'type X, version 1'],
])('finds %s in the event store', async (_, sql, sentence) => {
  const projections = await projected();
  damage(projections.events, sql);
  expect((await foldEverything(projections.store)).problems.join('\n')).toContain(sentence);
});
