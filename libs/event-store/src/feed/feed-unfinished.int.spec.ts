import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FeedWorkers } from '../../testing/feed-workers.js';
import { newCommit } from '../../testing/new-commit.js';
import { feedModels } from '../mongo/feed-lease.model.js';
import { MongoFeedLeases } from '../mongo/mongo-feed-leases.js';
import { migrateSchema } from '../mongo/mongo-schema.js';
import { openMongo } from '../../testing/open-mongo.js';
import type { FeedReaderOptions } from './feed-reader.js';

const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 20_000, interval: 10 });
/** Longer than any test takes, in milliseconds. */
const LONG = 600_000;

/** A store of 64 slots and a reader that answers what the test says. */
async function openFeed(handle: FeedReaderOptions['handle'], options: Partial<FeedReaderOptions> = {}) {
  const { store, connection, close } = await openMongo();
  onTestFinished(close);
  await migrateSchema(connection, feedModels(connection));
  const leases = new MongoFeedLeases(connection);
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

describe('a page of which only the beginning is done', () => {
  it('moves the checkpoint that far, and the rest comes again with what is new', async () => {
    let upTo = 1;
    const { reader, append, pages, positions } = await openFeed(async () => ({ upTo, againAfter: 10 }));
    for (const version of [1, 2, 3]) await append('7', version);
    reader.start();
    await soon(async () => expect(await positions()).toEqual([1]));
    await append('7', 4);
    await soon(() => expect(pages('7').at(-1)).toEqual([2, 3, 4]));
    upTo = 4;
    await soon(async () => expect(await positions()).toEqual([4]));
  });

  it('comes when its time has come, or when the reader is told that the reason to wait is gone', async () => {
    let upTo = 0;
    const { reader, append, pages, positions } = await openFeed(async () => ({ upTo, againAfter: LONG }));
    await append('7', 1);
    reader.start();
    await soon(() => expect(pages('7')).toHaveLength(1));
    await append('7', 2);
    await append('8', 1);
    await soon(() => expect(pages('8')).toHaveLength(1));
    expect(pages('7')).toEqual([[1]]);
    upTo = 2;
    reader.readAgain();
    await soon(() => expect(pages('7')).toEqual([[1], [1, 2]]));
    await soon(async () => expect(await positions()).toContain(2));
  });
});

describe('a slot whose work does not end', () => {
  it('keeps no other slot from being read, again and again', async () => {
    const stuck = Promise.withResolvers<void>();
    const { reader, append, pages } = await openFeed(([commit]) =>
      commit!.partition === '7' ? stuck.promise : Promise.resolve(),
    );
    await append('7', 1);
    reader.start();
    await soon(() => expect(pages('7')).toHaveLength(1));
    for (const version of [1, 2, 3]) {
      await append('8', version);
      await soon(() => expect(pages('8')).toHaveLength(version));
    }
    await append('7', 2);
    stuck.resolve();
    await soon(() => expect(pages('7')).toEqual([[1], [2]]));
  });

  it('that fails is tried again while others are read, and told once', async () => {
    const { reader, append, pages, workers } = await openFeed(async ([commit]) => {
      if (commit!.partition === '7' && pages('7').length < 3) throw new Error('not now');
    });
    await append('7', 1);
    reader.start();
    await soon(() => expect(pages('7')).toHaveLength(1));
    expect(reader.status().failing).toBe(true);
    await append('8', 1);
    await soon(() => expect(pages('8')).toHaveLength(1));
    await soon(() => expect(pages('7')).toHaveLength(3));
    await soon(() => expect(reader.status().failing).toBe(false));
    expect(workers.errors.map(String)).toEqual(['Error: not now']);
  });
});

describe('a reader that has no use for pages', () => {
  it('reads nothing until it is told that it has', async () => {
    let isReady = false;
    const looked = vi.fn<() => Promise<void>>(async () => {});
    const { reader, store, append, pages, handled } = await openFeed(async () => undefined, {
      isReady: () => isReady,
      afterPoll: looked,
    });
    const looks = vi.spyOn(store, 'slotsWithNews');
    await append('7', 1);
    reader.start();
    await soon(() => expect(looked.mock.calls.length).toBeGreaterThan(1));
    expect(handled).not.toHaveBeenCalled();
    expect(looks).not.toHaveBeenCalled();
    isReady = true;
    reader.readAgain();
    await soon(() => expect(pages('7')).toEqual([[1]]));
  });
});

describe('a ring that names the slot', () => {
  it('lets it be read without a question, also when it is false', async () => {
    const { reader, store, append, pages } = await openFeed(async () => undefined);
    const rung = vi.spyOn(store, 'onAppended').mockReturnValue(() => {});
    const looks = vi.spyOn(store, 'slotsWithNews');
    const reads = vi.spyOn(store, 'readFeed');
    reader.start();
    await soon(() => expect(reader.status().positions.size).toBe(64));
    const [[ring]] = rung.mock.calls as [[(slot?: number) => void]];
    await append('7', 1);
    await soon(() => expect(pages('7')).toEqual([[1]]));
    const [slot] = reads.mock.calls.at(-1)!;
    for (let version = 2; version <= 21; version++) {
      await append('7', version);
      ring(slot);
      ring(slot + 1);
      await soon(() => expect(pages('7').flat()).toContain(version));
    }
    // Without the rings, twenty commits one after the other take twenty seconds and as many questions.
    expect(looks.mock.calls.length).toBeLessThan(15);
    expect(pages('7').flat()).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  });
});
