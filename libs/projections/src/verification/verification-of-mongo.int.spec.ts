import { collectionOf } from '@keyfold/event-store/mongo';
import type { mongo } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { disabled, registered, renamed } from '../../../domain/testing/account.events.js';
import { sessionStarted } from '../../../domain/testing/session.events.js';
import { keyAdded } from '../../../domain/testing/ssh-key-ring.events.js';
import { MongoProjections } from '../../testing/mongo-projections.js';
import { rebuildAll, verify } from '../../testing/verified.js';
import { accountStream, sessionStream, sshKeyRingStream } from '../loading/stream-ref.js';
import { projectorName } from '../projecting/projector.js';

const account = accountStream(7);
type Document = { _id: string | number } & mongo.Document;

/** An account, its keys and a session, projected; all in the slot of account 7. */
async function projected() {
  const projections = await MongoProjections.open();
  await projections.append(account, registered('ann'));
  await projections.append(sshKeyRingStream(7), keyAdded(1, 'laptop'));
  await projections.append(sessionStream('s1', 7), sessionStarted());
  await projections.append(account, disabled);
  const projector = projections.newProjector();
  await projector.catchUp();
  await projector.stop();
  return projections;
}

const collection = ({ connection }: MongoProjections, name: string) => collectionOf<Document>(connection, name);
const commitOf = async (projections: MongoProjections, stream: string, version: number) =>
  (await collection(projections, 'commits').findOne({ stream, version }))!;

it('finds no problem if all documents match their streams', async () => {
  const projections = await projected();
  const nothing = { problems: [], commits: 4, streams: 3, documents: 3, behind: 0, unprojected: 0 };
  expect(await verify(projections)).toEqual(nothing);
  expect(await verify(projections, false)).toEqual(nothing);
});

it('finds a wrong sort key, and a rebuild repairs it', async () => {
  const projections = await projected();
  await collection(projections, 'accounts_2').updateOne({ _id: 'account-7' }, { $set: { place: 9 } });
  expect((await verify(projections)).problems).toEqual([expect.stringContaining('account-7 has sort key 9')]);
  await rebuildAll(projections);
  expect((await verify(projections)).problems).toEqual([]);
});

describe('in the feed', () => {
  it('finds a hole and continues after it', async () => {
    const projections = await projected();
    const { _id } = await commitOf(projections, 'ssh-keys-7', 1);
    await collection(projections, 'commits').deleteOne({ _id });
    const { problems, commits, streams } = await verify(projections);
    expect(problems).toEqual([
      expect.stringMatching(/^slot \d+ has no commit at position 2 of its feed$/),
      expect.stringContaining('a document of ssh-keys-7 at version 1, but there is no such stream'),
    ]);
    expect({ commits, streams }).toEqual({ commits: 3, streams: 2 });
  });

  it('waits for a commit that is being written to an empty position', async () => {
    const projections = await projected();
    const late = await commitOf(projections, 'session-s1', 1);
    await collection(projections, 'commits').deleteOne({ _id: late._id });
    const running = verify(projections, false);
    setTimeout(() => void collection(projections, 'commits').insertOne(late), 500);
    expect((await running).problems).toEqual([]);
  });
});

it('finds commits that the process that holds the slots does not project', async () => {
  const projections = await projected();
  const slots = Array.from({ length: projections.store.slots }, (_, slot) => slot);
  await projections.leases.take(projectorName, 'somebody', slots, 60_000);
  await projections.append(account, renamed('ann', 'anna'));
  const { problems, unprojected } = await verify(projections, false);
  expect(problems).toEqual([
    expect.stringMatching(/is at position 4 of slot \d+, which was at 5 at the start of the check/),
  ]);
  expect(unprojected).toBe(0);
});

it('is no problem with a projector under traffic, however often it is checked', async () => {
  const projections = await projected();
  projections.newProjector().start();
  const ids = Array.from({ length: 50 }, (_, index) => 100 + index);
  let done = 0;
  const traffic = Promise.all(
    ids.map(async (id) => {
      await projections.append(accountStream(id), registered(`account ${id}`, { accountId: id }));
      for (let round = 0; round < 8; round++) await projections.append(accountStream(id), renamed('a', `a${round}`));
      done++;
    }),
  );
  const problems: string[] = [];
  do problems.push(...(await verify(projections, false, 20_000)).problems);
  while (done < ids.length);
  await traffic;
  expect(problems).toEqual([]);
  expect(projections.errors).toEqual([]);
});
