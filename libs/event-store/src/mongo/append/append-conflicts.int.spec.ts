import type { Connection } from 'mongoose';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { denseHistory } from '../../../testing/dense-history.js';
import { newCommand, newCommit, unused } from '../../../testing/new-commit.js';
import { appendOne, outcomeOf, refusal } from '../../../testing/outcome.js';
import { openTwoProcesses } from '../../../testing/two-processes.js';
import type { NewCommit } from '../../commit.js';
import { CommandIdReused, Contended, HoldTaken, WrongExpectedVersion } from '../../event-store.errors.js';
import { COMMITS } from '../commit.model.js';
import type { MongoEventStore } from '../mongo-event-store.js';

const PARTITION = 'partition';
const TOO_LARGE = 17 * 1024 * 1024;

let connection: Connection;
let here: MongoEventStore;
let elsewhere: MongoEventStore;

beforeEach(async () => {
  ({ connection, here, elsewhere } = await openTwoProcesses());
});

/** Both processes know the end of the slot, and then the other one appends: the next place that this one takes is taken. */
async function loseThePlace(): Promise<void> {
  await here.append(inSlot(1));
  await elsewhere.append(inSlot(1));
}

const inSlot = (version: number, details: Partial<NewCommit> = {}) =>
  request(unused('account'), version, { partition: PARTITION, ...details });

/** Every request has a correlation of its own. */
const request = (stream: string, version: number, details: Partial<NewCommit> = {}) =>
  newCommit(stream, version, { correlation: unused('request'), ...details });

describe('what another process stored', () => {
  it('is returned for the same command id and request', async () => {
    const { commit } = await elsewhere.append(inSlot(1));
    expect(await here.append({ ...commit, correlation: 'request-2' })).toEqual({ outcome: 'replayed', commit });
  });

  it('refuses its command id for a different request, even in another stream', async () => {
    await elsewhere.append(inSlot(1, { command: newCommand('id-1', 'hash-1') }));
    await refusal(here.append(inSlot(1, { command: newCommand('id-1', 'hash-2') })), CommandIdReused);
  });

  it('keeps its holds', async () => {
    await elsewhere.append(inSlot(1, { holds: ['name:a', 'name:b'] }));
    const { key } = await refusal(here.append(inSlot(1, { holds: ['name:c', 'name:b'] })), HoldTaken);
    expect(key).toBe('name:b');
  });

  it('keeps its version of the stream', async () => {
    const first = inSlot(1);
    await elsewhere.append(first);
    await refusal(here.append({ ...first, command: newCommand() }), WrongExpectedVersion);
    const second = { ...first, version: 2, command: newCommand() };
    await here.readStreams([{ stream: first.stream, version: 0 }]);
    await elsewhere.append(second);
    await refusal(here.append({ ...second, command: newCommand() }), WrongExpectedVersion);
  });

  it('keeps its position, and a commit that collided with it gets the next', async () => {
    await loseThePlace();
    expect((await appendOne(here, inSlot(1))).position).toBe(3);
  });
});

it('a stream continues only after an existing commit, whatever version a reader reported', async () => {
  const stream = unused('account');
  await here.append(newCommit(stream, 1));
  expect(await here.readStreams([{ stream, version: 5 }])).toEqual([]);
  await refusal(here.append(newCommit(stream, 6)), WrongExpectedVersion);
  expect(await here.readStreams([{ stream, version: 1 }])).toEqual([]);
  expect((await here.append(newCommit(stream, 2))).outcome).toBe('appended');
});

it('a commit that never gets its position fails as contended, and others go on', async () => {
  const commits = connection.collection(COMMITS);
  const index = await commits.createIndex({ actor: 1 }, { unique: true, sparse: true });
  onTestFinished(async () => void (await commits.dropIndex(index)));
  await here.append(inSlot(1, { actor: 'account:1' }));
  await refusal(here.append(inSlot(1, { actor: 'account:1' })), Contended);
  expect(await outcomeOf(here.append(inSlot(1, { actor: 'account:2' })))).toBe('appended');
});

describe('if several refusals apply', () => {
  const stored = { stream: 'account-1', holds: ['name:a'], command: newCommand('id-1', 'hash-1') };
  it.each([
    { like: ['command', 'version', 'hold'], outcome: 'CommandIdReused' },
    { like: ['command', 'version'], outcome: 'CommandIdReused' },
    { like: ['command', 'hold'], outcome: 'CommandIdReused' },
    { like: ['command'], outcome: 'CommandIdReused' },
    { like: ['version', 'hold'], outcome: 'WrongExpectedVersion' },
    { like: ['version'], outcome: 'WrongExpectedVersion' },
    { like: ['hold'], outcome: 'HoldTaken' },
    { like: ['request', 'version', 'hold'], outcome: 'replayed' },
    { like: [], outcome: 'appended' },
  ])('besides the taken position ($like), the append ends with $outcome', async ({ like, outcome }) => {
    await elsewhere.append(inSlot(1, stored));
    await loseThePlace();
    const asked = inSlot(1, {
      ...(like.includes('version') && { stream: stored.stream }),
      ...(like.includes('hold') && { holds: stored.holds }),
      ...(like.includes('command') && { command: newCommand('id-1', 'hash-2') }),
      ...(like.includes('request') && { command: stored.command }),
    });
    expect(await outcomeOf(here.append(asked))).toBe(outcome);
    await denseHistory(connection);
  });
});

describe.each([
  { where: 'alone', prepare: async () => {} },
  { where: 'beside another process', prepare: loseThePlace },
])('in a batch of 50, $where,', ({ prepare }) => {
  it('each refusal reaches only its own caller, and no hole or gap is left', async () => {
    const command = newCommand('id-taken');
    await elsewhere.append(request('taken', 1, { holds: ['name:taken'], command }));
    await prepare();
    const kinds = {
      appended: () => request(unused('account'), 1),
      CommandIdReused: () => request(unused('account'), 1, { command: { ...command, hash: 'other' } }),
      HoldTaken: () => request(unused('account'), 1, { holds: ['name:taken'] }),
      WrongExpectedVersion: () => request('taken', 1),
      replayed: () => request('taken', 1, { holds: ['name:taken'], command }),
    };
    // The same few slots, so that much would stand behind a refused commit.
    const asked = Array.from({ length: 50 }, (_, index) => {
      const [kind, make] = Object.entries(kinds)[index % 5]!;
      return { kind, commit: { ...make(), partition: `${PARTITION}-${index % 3}` } };
    });
    const before = await denseHistory(connection);
    const outcomes = await Promise.all(asked.map(({ commit }) => outcomeOf(here.append(commit))));
    expect(outcomes).toEqual(asked.map(({ kind }) => kind));
    const stored = (await denseHistory(connection)).map(({ stream }) => stream);
    const appended = asked.filter(({ kind }) => kind === 'appended').map(({ commit }) => commit.stream);
    expect(stored.toSorted()).toEqual([...before.map(({ stream }) => stream), ...appended].toSorted());
  });

  it('a commit that is too large for the database fails alone', async () => {
    await prepare();
    const large = { type: 'account.renamed', v: 1, data: { name: 'x'.repeat(TOO_LARGE) } };
    const commits = Array.from({ length: 50 }, (_, index) =>
      request(unused('account'), 1, index === 20 ? { events: [large] } : {}),
    );
    const results = await Promise.allSettled(commits.map((commit) => here.append(commit)));
    expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([20]);
    expect(results.map((result) => result.status === 'fulfilled' && result.value.outcome)).toEqual(
      commits.map((_, index) => index !== 20 && 'appended'),
    );
    await denseHistory(connection);
  });
});
