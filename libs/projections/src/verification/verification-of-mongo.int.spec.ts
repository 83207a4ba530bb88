import { absentAccount } from '@keyfold/domain';
import { collectionOf } from '@keyfold/event-store/mongo';
import type { mongo } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { disabled, registered, renamed } from '../../../domain/testing/account.events.js';
import { sessionStarted } from '../../../domain/testing/session.events.js';
import { keyAdded } from '../../../domain/testing/ssh-key-ring.events.js';
import { MongoProjections } from '../../testing/mongo-projections.js';
import { accountStream, sessionStream, sshKeyRingStream } from '../loading/stream-ref.js';
import { projectorName } from '../projecting/projector.js';
import { readModels } from '../read-model.js';
import { Rebuild } from './rebuild.js';
import { Verification } from './verification.js';

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

async function verify(
  { store, readModels: documents, leases }: MongoProjections,
  isSettled = true,
  projectorTimeout = 500,
) {
  const problems: string[] = [];
  const verification = new Verification(
    { store, feed: store, readModels: documents, isSettled },
    leases,
    projectorTimeout,
  );
  const count = await verification.run(async (problem) => void problems.push(problem), AbortSignal.timeout(30_000));
  return { problems, ...count };
}

const rebuild = ({ store, readModels: documents }: MongoProjections) =>
  new Rebuild(store, store, documents, readModels, Date.now).run(async () => {}, new AbortController().signal);

const collection = ({ connection }: MongoProjections, name: string) => collectionOf<Document>(connection, name);
const set = (name: string, _id: string, $set: object) => (projections: MongoProjections) =>
  collection(projections, name).updateOne({ _id }, { $set });
const commitOf = async (projections: MongoProjections, stream: string, version: number) =>
  (await collection(projections, 'commits').findOne({ stream, version }))!;

it('finds no problem if all documents match their streams', async () => {
  const projections = await projected();
  const nothing = { problems: [], commits: 4, streams: 3, documents: 3, behind: 0, unprojected: 0 };
  expect(await verify(projections)).toEqual(nothing);
  expect(await verify(projections, false)).toEqual(nothing);
});

describe('in the documents', () => {
  it.each<[string, (projections: MongoProjections) => Promise<unknown>, string]>([
    [
      'a missing one',
      (projections) => collection(projections, 'ssh_key_rings_1').deleteMany({}),
      'stream ssh-keys-7 has no document',
    ],
    [
      'one that is ahead of its stream',
      set('accounts_1', 'account-7', { version: 3 }),
      'account-7 is at version 3, its stream at 2',
    ],
    ['one with a wrong state', set('ssh_key_rings_1', 'ssh-keys-7', { state: '{}' }), 'ssh-keys-7 differs'],
    ['one with a wrong sort key', set('accounts_1', 'account-7', { place: 9 }), 'account-7 has sort key 9'],
    [
      'a parked stream',
      ({ readModels: documents }) =>
        documents.park({ stream: 'account-8', partition: '8', version: 1, error: 'unknown event', at: 0 }),
      'account-8 is parked: unknown event',
    ],
    [
      'one without a stream',
      ({ readModels: documents }) =>
        documents.put(accountStream(8), { state: { ...absentAccount, status: 'active', accountId: 8 }, version: 1 }),
      'a document of account-8 at version 1, but there is no such stream',
    ],
  ])('finds %s, and a rebuild repairs it', async (title, damage, sentence) => {
    const projections = await projected();
    await damage(projections);
    expect((await verify(projections)).problems).toEqual([expect.stringContaining(sentence)]);
    if (title === 'a parked stream') return;
    await rebuild(projections);
    expect((await verify(projections)).problems).toEqual([]);
  });
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

  it('skips void commits', async () => {
    const projections = await projected();
    await projections.append({ stream: 'void-7', partition: '7' });
    await projections.append(account, renamed('ann', 'anna'));
    const projector = projections.newProjector();
    await projector.catchUp();
    await projector.stop();
    expect(await verify(projections)).toMatchObject({ problems: [], commits: 6, streams: 3 });
  });
});

describe('what is not projected', () => {
  it('is no problem if no process projects, and is counted', async () => {
    const projections = await projected();
    await projections.append(account, renamed('ann', 'anna'));
    expect(await verify(projections, false)).toMatchObject({ problems: [], behind: 1, unprojected: 1 });
  });

  it('is a problem if a process holds the slots and makes no progress', async () => {
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
}, 60_000);
