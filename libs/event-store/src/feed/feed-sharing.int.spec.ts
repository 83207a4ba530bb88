import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { CuttableLeases, FeedWorkers } from '../../testing/feed-workers.js';
import { newCommit } from '../../testing/new-commit.js';
import { openMongoFeed } from '../../testing/open-mongo.js';
import { appendEach } from '../../testing/outcome.js';
import type { Commit } from '../commit.js';
import type { EventStore } from '../event-store.js';
import type { FeedLeases } from './feed-leases.js';
import { FeedReader } from './feed-reader.js';

const LONG = 60_000;
const SHORT = 3_000;

async function openFeed() {
  const { store, leases } = await openMongoFeed();
  return { store, leases, workers: new FeedWorkers(store) };
}

const sizesOf = (readers: readonly FeedReader[]) =>
  readers.map((reader) => reader.status().positions.size).toSorted((left, right) => right - left);

/** Appends the given number of commits to each of the accounts, those of different accounts at once. */
async function write(store: EventStore, accounts: readonly number[], commits: number): Promise<Commit[]> {
  const streams = accounts.map((account) => {
    const commitOf = (index: number) => newCommit(`account-${account}`, index + 1, { partition: String(account) });
    return appendEach(
      store,
      Array.from({ length: commits }, (_, index) => commitOf(index)),
    );
  });
  return (await Promise.all(streams)).flat();
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const nameOf = ({ stream, version }: Commit) => `${stream}:${version}`;

/** Each stream's versions in the order in which they were handled for the first time. */
function expectInOrder(workers: FeedWorkers): void {
  const seen = new Map<string, number>();
  for (const { commit } of workers.handled) {
    const before = seen.get(commit.stream) ?? 0;
    if (commit.version > before) {
      expect(commit.version).toBe(before + 1);
      seen.set(commit.stream, commit.version);
    }
  }
}

async function positionsOf(leases: FeedLeases) {
  return new Map((await leases.progress('reader')).map(({ slot, position }) => [slot, position]));
}

describe('readers of one feed', () => {
  it('share the slots evenly while members join and leave, and handle every commit once and in order', async () => {
    const { store, leases, workers } = await openFeed();
    const options = { leaseMilliseconds: 6_000 };
    const readers = ['ann', 'bea', 'cid'].map((owner) => workers.newReader(owner, leases, options));
    const [ann, bea, cid] = readers as [FeedReader, FeedReader, FeedReader];

    ann.start();
    await eventually(() => expect(sizesOf(readers)).toEqual([64, 0, 0]));
    const appended = await write(store, range(0, 40), 3);
    bea.start();
    cid.start();
    await eventually(() => expect(sizesOf(readers)).toEqual([22, 21, 21]));
    appended.push(...(await write(store, range(40, 80), 3)));
    await eventually(() => expect(workers.handled.map(({ owner }) => owner)).toContain('bea'));
    await bea.stop();
    appended.push(...(await write(store, range(80, 120), 3)));
    await eventually(() => expect(sizesOf([ann, cid])).toEqual([32, 32]));

    await eventually(() => expect(workers.done).toHaveLength(360));
    expect(workers.done.toSorted()).toEqual(appended.map(nameOf).toSorted());
    expectInOrder(workers);
    expect(workers.overlaps).toEqual([]);
    expect(workers.errors).toEqual([]);
  });

  it('finish the current batch before they release a slot to a new member', async () => {
    const { store, leases, workers } = await openFeed();
    const batches = Promise.withResolvers<void>();
    const meanwhile = vi.fn<() => Promise<void>>(() => batches.promise);
    const options = { leaseMilliseconds: SHORT };
    const ann = workers.newReader('ann', leases, options, meanwhile);
    const appended = await write(store, range(0, 40), 1);
    ann.start();
    await eventually(() => expect(meanwhile).toHaveBeenCalledTimes(8));
    const bea = workers.newReader('bea', leases, options, meanwhile);
    bea.start();
    // Eight batches are in progress. Idle slots outside ann's share go to bea, who starts as many.
    await eventually(() => expect(meanwhile).toHaveBeenCalledTimes(16));
    const [atHand] = sizesOf([ann]);
    expect(atHand).toBeGreaterThan(32);
    expect(sizesOf([bea])[0]).toBe(64 - atHand!);

    batches.resolve();
    await eventually(() => expect(workers.done).toHaveLength(40));
    await eventually(() => expect(sizesOf([ann, bea])).toEqual([32, 32]));
    expect(workers.done.toSorted()).toEqual(appended.map(nameOf).toSorted());
    expect(workers.overlaps).toEqual([]);
  });

  it('release their slots when they stop, after the current batch', async () => {
    const { store, leases, workers } = await openFeed();
    const batch = Promise.withResolvers<void>();
    const ann = workers.newReader('ann', leases, { leaseMilliseconds: LONG }, () => batch.promise);
    await write(store, [7], 2);
    ann.start();
    await eventually(async () => expect((await leases.progress('reader')).length).toBe(64));
    const stopped = ann.stop();
    batch.resolve();
    await stopped;
    expect((await leases.progress('reader')).filter(({ owner }) => owner !== undefined)).toEqual([]);

    await write(store, [8], 2);
    const bea = workers.newReader('bea', leases, { leaseMilliseconds: LONG });
    await bea.catchUp();
    expect(sizesOf([bea])).toEqual([64]);
    expect(workers.done.toSorted()).toEqual(['account-7:1', 'account-7:2', 'account-8:1', 'account-8:2']);
  });
});

describe('a stalled reader', () => {
  it('leaves its slots to the others until it works again, and shares them with others that are stalled, too', async () => {
    const { store, leases, workers } = await openFeed();
    const stalled = new Set<string>();
    const newReader = (owner: string) =>
      workers.newReader(owner, leases, { leaseMilliseconds: SHORT, isStalled: () => stalled.has(owner) });
    const readers = ['ann', 'bea'].map(newReader) as [FeedReader, FeedReader];
    const shares = () => readers.map((reader) => reader.status().positions.size);
    for (const reader of readers) reader.start();
    await eventually(() => expect(shares()).toEqual([32, 32]));
    stalled.add('ann');
    await eventually(() => expect(shares()).toEqual([0, 64]));
    expect(readers.map((reader) => reader.status().members.toSorted())).toEqual(Array(2).fill(['ann', 'bea']));
    await write(store, range(0, 20), 2);
    await eventually(() => expect(workers.done).toHaveLength(40));
    stalled.add('bea');
    await eventually(() => expect(shares()).toEqual([32, 32]));
    stalled.delete('ann');
    await eventually(() => expect(shares()).toEqual([64, 0]));
    stalled.delete('bea');
    await eventually(() => expect(shares()).toEqual([32, 32]));
    expect(workers.errors).toEqual([]);
    expect(workers.overlaps).toEqual([]);
  });
});

describe('a reader that stops responding', () => {
  it('is replaced after its leases have expired, and no commit is lost', async () => {
    const { store, leases, workers } = await openFeed();
    const cuttable = new CuttableLeases(leases);
    const ann = workers.newReader('ann', cuttable, { leaseMilliseconds: SHORT });
    ann.start();
    await eventually(() => expect(sizesOf([ann])).toEqual([64]));
    await write(store, range(0, 20), 2);
    await eventually(() => expect(workers.done).toHaveLength(40));

    cuttable.isCut = true;
    const bea = workers.newReader('bea', leases, { leaseMilliseconds: SHORT });
    bea.start();
    const later = await write(store, range(20, 60), 3);
    await eventually(() => expect(sizesOf([bea])).toEqual([64]));
    await eventually(async () => {
      const positions = await positionsOf(leases);
      for (const [slot, position] of positions) expect((await store.readFeed(slot, position, 1)).length).toBe(0);
    });
    for (const name of later.map(nameOf)) expect(workers.done).toContain(name);
    expectInOrder(workers);
    expect(workers.overlaps).toEqual([]);
    // Only commits that the silent worker handled without advancing its checkpoint were handled twice.
    const annAlone = workers.handled.filter(({ owner }) => owner === 'ann').length;
    expect(workers.handled.length).toBeLessThanOrEqual(160 + annAlone - 40);
  });

  it('continues from the checkpoint of the others when it is back', async () => {
    const { store, leases, workers } = await openFeed();
    const cuttable = new CuttableLeases(leases);
    const append = (version: number) => store.append(newCommit('account-7', version));
    const ann = workers.newReader('ann', cuttable, { leaseMilliseconds: SHORT });
    ann.start();
    await append(1);
    await eventually(() => expect(workers.done).toHaveLength(1));
    cuttable.isCut = true;
    const bea = workers.newReader('bea', leases, { leaseMilliseconds: LONG });
    bea.start();
    await eventually(() => expect(sizesOf([bea])).toEqual([64]));
    await append(2);
    await eventually(() => expect(workers.done).toHaveLength(2));
    await bea.stop();
    cuttable.isCut = false;
    await append(3);
    await eventually(() => expect(workers.done.length).toBeGreaterThan(2));
    const handled = workers.handled.map(({ owner, commit }) => `${owner} ${commit.version}`);
    expect(handled).toEqual(['ann 1', 'bea 2', 'ann 3']);
  });

  it('starts nothing new after two thirds of its lease, although it can reach the feed', async () => {
    const { store, leases, workers } = await openFeed();
    const cuttable = new CuttableLeases(leases);
    let time = 0;
    const polled = vi.fn<() => Promise<void>>(async () => {});
    const options = { leaseMilliseconds: LONG, now: () => time, afterPoll: polled };
    const ann = workers.newReader('ann', cuttable, options);
    ann.start();
    await eventually(() => expect(sizesOf([ann])).toEqual([64]));
    cuttable.isCut = true;
    cuttable.letsAdvance = true;
    time = (LONG * 2) / 3 - 1;
    await write(store, [7], 1);
    await eventually(() => expect(workers.done).toEqual(['account-7:1']));

    time += 1;
    expect(ann.holds(0)).toBe(false);
    const polls = vi.spyOn(store, 'slotsWithNews');
    const reads = vi.spyOn(store, 'readFeed');
    await write(store, [8], 1);
    polled.mockClear();
    await eventually(() => expect(polled.mock.calls.length).toBeGreaterThan(1));
    expect(polls).not.toHaveBeenCalled();
    expect(reads).not.toHaveBeenCalled();
    expect(workers.done).toEqual(['account-7:1']);
  });

  it('cannot move the checkpoint for the batch it was handling when another process took over', async () => {
    const { store, leases, workers } = await openFeed();
    const cuttable = new CuttableLeases(leases);
    const batch = Promise.withResolvers<void>();
    const meanwhile = vi.fn<() => Promise<void>>(() => batch.promise);
    const ann = workers.newReader('ann', cuttable, { leaseMilliseconds: SHORT }, meanwhile);
    await write(store, [7], 2);
    ann.start();
    await eventually(() => expect(meanwhile).toHaveBeenCalled());
    cuttable.isCut = true;
    cuttable.letsAdvance = true;

    const advance = vi.spyOn(leases, 'advance');
    const others = new FeedWorkers(store);
    others.newReader('bea', leases, { leaseMilliseconds: LONG }).start();
    await eventually(() => expect(others.done).toEqual(['account-7:1', 'account-7:2']));
    await write(store, [8], 1);
    await eventually(() => expect(others.done).toHaveLength(3));
    const written = async () => [...(await positionsOf(leases)).values()].reduce((sum, position) => sum + position, 0);
    await eventually(async () => expect(await written()).toBe(3));
    const before = await positionsOf(leases);
    advance.mockClear();
    batch.resolve();
    await eventually(() => expect(workers.done).toHaveLength(2));
    await eventually(() => expect(advance).toHaveBeenCalledTimes(1));
    await expect(advance.mock.results[0]?.value).rejects.toHaveProperty('name', 'LeaseLost');
    expect(await positionsOf(leases)).toEqual(before);
    // Losing the slot is no error. Only the unreachable leases are reported.
    expect(workers.errors.map(String)).toEqual(['StoreUnavailable: cut off']);
  });
});
