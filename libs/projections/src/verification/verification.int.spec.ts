import { absentAccount } from '@keyfold/domain';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { disabled, registered, renamed } from '../../../domain/testing/account.events.js';
import { sessionStarted } from '../../../domain/testing/session.events.js';
import { keyAdded } from '../../../domain/testing/ssh-key-ring.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { verify } from '../../testing/verified.js';
import { accountStream, sessionStream, sshKeyRingStream } from '../loading/stream-ref.js';
import { Verification } from './verification.js';

const account = accountStream(7);
const unknownEvent = { type: 'AccountArchived', v: 1, data: {} };

/** An account, its keys and a session, projected. */
async function projected() {
  const projections = new EmbeddedProjections();
  await projections.append(account, registered('ann'));
  await projections.append(sshKeyRingStream(7), keyAdded(1, 'laptop'));
  await projections.append(sessionStream('s1', 7), sessionStarted());
  await projections.append(account, disabled);
  await projections.newProjector().catchUp();
  return projections;
}

/** Counts the iterations of the event loop. */
function countIterations(): () => number {
  let iterations = 0;
  let counting = true;
  const count = () => {
    iterations++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  return () => ((counting = false), iterations);
}

function damage({ path }: { path: string }, sql: string) {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

it('finds no problem if all documents match their streams', async () => {
  const projections = await projected();
  const nothing = { problems: [], commits: 4, streams: 3, documents: 3, behind: 0, unprojected: 0 };
  expect(await verify(projections)).toEqual(nothing);
  expect(await verify(projections, false)).toEqual(nothing);
});

it('accepts a large document of a ring that lags, but not one that should have been written', async () => {
  const projections = new EmbeddedProjections();
  const ring = sshKeyRingStream(7);
  const projector = projections.newProjector();
  const add = async (first: number, last: number) => {
    for (let n = first; n <= last; n++) await projections.append(ring, keyAdded(n, `key ${n}`));
    await projector.catchUp();
  };
  await add(1, 30);
  damage(projections.views, 'CREATE TABLE former AS SELECT version, state FROM ssh_key_rings_1');
  await add(31, 33);
  expect((await projections.readModels.get([ring])).get(ring.stream)).toMatchObject({ version: 30 });
  expect(await verify(projections)).toMatchObject({ problems: [], behind: 0 });
  await add(34, 60);
  expect(await verify(projections)).toMatchObject({ problems: [], behind: 0 });
  damage(projections.views, 'UPDATE ssh_key_rings_1 SET version = former.version, state = former.state FROM former');
  const problem = 'the document of ssh-keys-7 is at version 30, but the projector has passed version 60';
  expect((await verify(projections)).problems).toEqual([problem]);
});

describe('in the documents', () => {
  it.each([
    ['a missing one', 'DELETE FROM ssh_key_rings_1', 'stream ssh-keys-7 has no document in ssh_key_rings'],
    [
      'one that is behind what the projector passed',
      "UPDATE accounts_2 SET version = 1, state = json_set(state, '$.disabled', json('false'))",
      'account-7 is at version 1, but the projector has passed version 2',
    ],
    [
      'one with the state of an earlier version',
      'UPDATE accounts_2 SET version = 1',
      'account-7 differs from its stream at version 1',
    ],
    [
      'one that is ahead of its stream',
      'UPDATE accounts_2 SET version = 3',
      'account-7 is at version 3, its stream at 2',
    ],
    [
      'one with a wrong state',
      "UPDATE ssh_key_rings_1 SET state = '{}'",
      'ssh-keys-7 differs from its stream at version 1',
    ],
    [
      'one without its sort key',
      'UPDATE accounts_2 SET place = NULL',
      'account-7 has sort key none in the list of accounts, expected 7',
    ],
    [
      'one with a wrong sort key',
      'UPDATE accounts_2 SET place = 9',
      'account-7 has sort key 9 in the list of accounts, expected 7',
    ],
    [
      'one with a wrong search text',
      "UPDATE accounts_2 SET text = 'bob'",
      'account-7 has a wrong search text in the list of accounts',
    ],
    [
      'one with a sort key although nothing is due',
      'UPDATE ssh_key_rings_1 SET place = 1',
      'ssh-keys-7 has sort key 1 in the list of ssh_key_rings, expected none',
    ],
    [
      'a key that the index of SSH keys lacks',
      'DELETE FROM ssh_key_owners_1',
      'the index of SSH keys lacks a key of account 7',
    ],
    [
      'a parked stream',
      "INSERT INTO parked_streams VALUES ('account-8', '8', 1, 'unknown event', 0)",
      'account-8 is parked: unknown event',
    ],
  ])('finds %s', async (_, sql, sentence) => {
    const projections = await projected();
    damage(projections.views, sql);
    expect((await verify(projections)).problems).toEqual([expect.stringContaining(sentence)]);
  });

  it('finds one without a stream', async () => {
    const projections = await projected();
    const state = { ...absentAccount, status: 'active' as const, accountId: 8 };
    await projections.readModels.put(accountStream(8), { state, version: 1 });
    expect((await verify(projections)).problems).toEqual([
      'accounts has a document of account-8 at version 1, but there is no such stream',
    ]);
  });

  it('finds a list with more entries than documents', async () => {
    const projections = await projected();
    vi.spyOn(projections.readModels, 'list').mockResolvedValue({ items: [], total: 2 });
    expect((await verify(projections)).problems).toContain(
      'the list of accounts has 2 entries; 1 documents belong in it',
    );
  });

  it('finds all of many', async () => {
    const projections = new EmbeddedProjections();
    for (let id = 3; id < 1_203; id++)
      await projections.append(accountStream(id), registered(`account ${id}`, { accountId: id }));
    await projections.newProjector().catchUp();
    expect(await verify(projections)).toMatchObject({ problems: [], documents: 1_200 });
    damage(
      projections.views,
      "UPDATE accounts_2 SET state = json_set(state, '$.permission', -1) WHERE stream IN ('account-3', 'account-500', 'account-1202')",
    );
    const iterations = countIterations();
    expect((await verify(projections)).problems).toHaveLength(3);
    // Six pages each of commits, of documents and of those in the list: in between the process does other work.
    expect(iterations()).toBeGreaterThanOrEqual(18);
  });
});

describe('in the feed', () => {
  it.each([
    [
      'a position that is missing',
      'UPDATE commits SET position = 9 WHERE position = 4',
      'slot 0 has no commit at positions 4 to 8',
    ],
    ['a version that is missing', 'UPDATE commits SET version = 3 WHERE position = 4', 'does not follow commit 1'],
    [
      'an event that cannot be read',
      'UPDATE commits SET events = \'[{"type":"X","v":1}]\' WHERE position = 2',
      'type X, version 1',
    ],
    [
      'a stream without its first commit',
      'DELETE FROM commits WHERE position = 1',
      'slot 0 has 1 commits up to position 4 whose stream has no commit 1',
    ],
    [
      'an end before the checkpoint',
      'DELETE FROM commits WHERE position = 4',
      'the projector is at position 4 of slot 0, whose feed ends at 3',
    ],
  ])('finds %s', async (_, sql, sentence) => {
    const projections = await projected();
    damage(projections.events, sql);
    expect((await verify(projections)).problems.join('\n')).toContain(sentence);
  });
});

describe('what is not projected yet', () => {
  it('is no problem if no process projects during the check, but counted', async () => {
    const projections = await projected();
    await projections.append(account, renamed('ann', 'anna'));
    await projections.append(accountStream(8), registered('bob'));
    expect(await verify(projections)).toMatchObject({ problems: [], behind: 2 });
  });

  it('is a problem if the projector should run and does not', async () => {
    const projections = await projected();
    await projections.append(account, renamed('ann', 'anna'));
    expect((await verify(projections, false)).problems).toEqual([
      'the projector is at position 4 of slot 0, which was at 5 at the start of the check',
    ]);
  });

  it('is no problem if no process projects, and is counted', async () => {
    const projections = await projected();
    const projector = projections.newProjector();
    await projector.catchUp();
    await projector.stop();
    await projections.append(account, renamed('ann', 'anna'));
    await projections.append(account, renamed('anna', 'anne'));
    expect(await verify(projections, false)).toMatchObject({ problems: [], behind: 1, unprojected: 2 });
  });

  it('is no problem with a projector under traffic, however often it is checked', async () => {
    const projections = await projected();
    const projector = projections.newProjector();
    projector.start();
    let names = 0;
    const traffic = (async () => {
      for (; names < 400; names++) await projections.append(account, renamed(`ann ${names}`, `ann ${names + 1}`));
    })();
    const problems: string[] = [];
    do problems.push(...(await verify(projections, false, 20_000)).problems);
    while (names < 400);
    await traffic;
    await projector.stop();
    expect(problems).toEqual([]);
  });

  it('is reported as parked and not as different if its stream cannot be folded', async () => {
    const projections = await projected();
    await projections.append(account, unknownEvent);
    await projections.newProjector().catchUp();
    expect((await verify(projections)).problems).toEqual([expect.stringContaining('account-7 is parked')]);
  });
});

it('ends when its signal is aborted', async () => {
  const { store, readModels, leases } = await projected();
  const run = new Verification({ store, feed: store, readModels, isSettled: true }, leases).run(
    async () => {},
    AbortSignal.abort(),
  );
  await expect(run).rejects.toThrow('aborted');
});
