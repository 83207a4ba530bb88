import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { FeedWorkers } from '../../testing/feed-workers.js';
import { newCommit } from '../../testing/new-commit.js';
import { openMongoFeed } from '../../testing/open-mongo.js';
import type { FeedReaderOptions } from './feed-reader.js';

/** Longer than any test takes, in milliseconds. */
const LONG = 600_000;

/** A store of 64 slots and a reader that answers what the test says. */
async function openFeed(handle: FeedReaderOptions['handle'], options: Partial<FeedReaderOptions> = {}) {
  const { store, leases } = await openMongoFeed();
  const workers = new FeedWorkers(store);
  const handled = vi.fn<FeedReaderOptions['handle']>(handle);
  const reader = workers.newReader('ann', leases, { handle: handled, ...options });
  const append = (partition: string, version: number) =>
    store.append(newCommit(`account-${partition}`, version, { partition }));
  const pages = (partition: string) =>
    handled.mock.calls
      .map(([commits]) => commits.filter((commit) => commit.partition === partition).map(({ version }) => version))
      .filter(({ length }) => length > 0);
  const positions = async () =>
    (await leases.progress('reader')).map(({ position }) => position).filter((position) => position > 0);
  return { store, reader, workers, append, pages, positions, handled };
}

describe('a partly handled page', () => {
  it('moves the checkpoint that far, and the rest is delivered again with new commits', async () => {
    let upTo = 1;
    const { reader, append, pages, positions } = await openFeed(async () => ({ upTo, againAfter: 10 }));
    for (const version of [1, 2, 3]) await append('7', version);
    reader.start();
    await eventually(async () => expect(await positions()).toEqual([1]));
    await append('7', 4);
    await eventually(() => expect(pages('7').at(-1)).toEqual([2, 3, 4]));
    upTo = 4;
    await eventually(async () => expect(await positions()).toEqual([4]));
  });

  it('is delivered again after its pause, or on readAgain', async () => {
    let upTo = 0;
    const { reader, append, pages, positions } = await openFeed(async () => ({ upTo, againAfter: LONG }));
    await append('7', 1);
    reader.start();
    await eventually(() => expect(pages('7')).toHaveLength(1));
    await append('7', 2);
    await append('8', 1);
    await eventually(() => expect(pages('8')).toHaveLength(1));
    expect(pages('7')).toEqual([[1]]);
    upTo = 2;
    reader.readAgain();
    await eventually(() => expect(pages('7')).toEqual([[1], [1, 2]]));
    await eventually(async () => expect(await positions()).toContain(2));
  });
});

describe('a slot whose work does not end', () => {
  it('does not block other slots', async () => {
    const stuck = Promise.withResolvers<void>();
    const { reader, append, pages } = await openFeed(([commit]) =>
      commit!.partition === '7' ? stuck.promise : Promise.resolve(),
    );
    await append('7', 1);
    reader.start();
    await eventually(() => expect(pages('7')).toHaveLength(1));
    for (const version of [1, 2, 3]) {
      await append('8', version);
      await eventually(() => expect(pages('8')).toHaveLength(version));
    }
    await append('7', 2);
    stuck.resolve();
    await eventually(() => expect(pages('7')).toEqual([[1], [2]]));
  });

  it('that fails is retried while others are read, and reported once', async () => {
    const { reader, append, pages, workers } = await openFeed(async ([commit]) => {
      if (commit!.partition === '7' && pages('7').length < 3) throw new Error('not now');
    });
    await append('7', 1);
    reader.start();
    await eventually(() => expect(pages('7')).toHaveLength(1));
    expect(reader.status().failing).toBe(true);
    await append('8', 1);
    await eventually(() => expect(pages('8')).toHaveLength(1));
    await eventually(() => expect(pages('7')).toHaveLength(3));
    await eventually(() => expect(reader.status().failing).toBe(false));
    expect(workers.errors.map(String)).toEqual(['Error: not now']);
  });
});

describe('a reader that is not ready', () => {
  it('reads nothing until readAgain', async () => {
    let isReady = false;
    const polled = vi.fn<() => Promise<void>>(async () => {});
    const { reader, store, append, pages, handled } = await openFeed(async () => undefined, {
      isReady: () => isReady,
      afterPoll: polled,
    });
    const polls = vi.spyOn(store, 'slotsWithNews');
    await append('7', 1);
    reader.start();
    await eventually(() => expect(polled.mock.calls.length).toBeGreaterThan(1));
    expect(handled).not.toHaveBeenCalled();
    expect(polls).not.toHaveBeenCalled();
    isReady = true;
    reader.readAgain();
    await eventually(() => expect(pages('7')).toEqual([[1]]));
  });
});

describe('a signal for a known slot', () => {
  it('has the slot read without a query for news, even if it is unnecessary', async () => {
    const { reader, store, append, pages } = await openFeed(async () => undefined);
    const onAppended = vi.spyOn(store, 'onAppended').mockReturnValue(() => {});
    const polls = vi.spyOn(store, 'slotsWithNews');
    const reads = vi.spyOn(store, 'readFeed');
    reader.start();
    await eventually(() => expect(reader.status().positions.size).toBe(64));
    const [[wake]] = onAppended.mock.calls as [[(slot?: number) => void]];
    await append('7', 1);
    await eventually(() => expect(pages('7')).toEqual([[1]]));
    const [slot] = reads.mock.calls.at(-1)!;
    for (let version = 2; version <= 21; version++) {
      await append('7', version);
      wake(slot);
      wake(slot + 1);
      await eventually(() => expect(pages('7').flat()).toContain(version));
    }
    // Without signals, twenty commits one after another take twenty seconds and as many queries.
    expect(polls.mock.calls.length).toBeLessThan(15);
    expect(pages('7').flat()).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  });
});
