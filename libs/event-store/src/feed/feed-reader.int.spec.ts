import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { CuttableLeases, FeedWorkers } from '../../testing/feed-workers.js';
import { newCommit } from '../../testing/new-commit.js';
import { StoreUnavailable } from '../event-store.errors.js';
import type { EventStore } from '../event-store.js';
import { openSqlite, temporaryFolder } from '../../testing/open-sqlite.js';
import { feedPositionsTable, SqliteFeedLeases } from '../sqlite/sqlite-feed-leases.js';
import { SqliteFile } from '../sqlite/sqlite-file.js';
import type { FeedReaderOptions } from './feed-reader.js';

function openFeed() {
  const folder = temporaryFolder();
  const { store, close } = openSqlite(join(folder, 'keyfold.db'));
  const views = new SqliteFile(join(folder, 'views.db'), {
    version: 1,
    synchronous: 'NORMAL',
    sql: feedPositionsTable,
  });
  onTestFinished(() => Promise.all([close(), views.close()]).then(() => undefined));
  return { store, leases: new SqliteFeedLeases(views), workers: new FeedWorkers(store) };
}

async function append(store: EventStore, stream: string, ...versions: number[]): Promise<void> {
  for (const version of versions) await store.append(newCommit(stream, version));
}

const positionOf = async (leases: SqliteFeedLeases) => (await leases.progress('reader'))[0]?.position;

describe('catching up', () => {
  it('handles the whole feed in order and in batches, then ends', async () => {
    const { store, leases, workers } = openFeed();
    await Promise.all(Array.from({ length: 1_201 }, (_, index) => store.append(newCommit(`session-${index}`, 1))));
    const handle = vi.fn<FeedReaderOptions['handle']>(async () => {});
    const reader = workers.newReader('ann', leases, { handle });
    await reader.catchUp();
    const batches = handle.mock.calls.map(([commits]) => commits.map(({ position }) => position));
    expect(batches.map(({ length }) => length)).toEqual([500, 500, 201]);
    expect(batches.flat()).toEqual(Array.from({ length: 1_201 }, (_, index) => index + 1));
    expect(reader.status().positions).toEqual(new Map([[0, 1_201]]));
    expect(await positionOf(leases)).toBe(1_201);
  });

  it('reads pages of the chosen size', async () => {
    const { store, leases, workers } = openFeed();
    await append(store, 'account-1', 1, 2, 3, 4, 5);
    const handle = vi.fn<FeedReaderOptions['handle']>(async () => {});
    await workers.newReader('ann', leases, { handle, pageSize: 2 }).catchUp();
    expect(handle.mock.calls.map(([{ length }]) => length)).toEqual([2, 2, 1]);
  });

  it('throws the error and continues from there on the next call', async () => {
    const { store, leases, workers } = openFeed();
    await append(store, 'account-1', 1, 2);
    let full = true;
    const handle = vi.fn<FeedReaderOptions['handle']>(async () => {
      if (full) throw new StoreUnavailable('the disk is full');
    });
    const reader = workers.newReader('ann', leases, { handle });
    await expect(reader.catchUp()).rejects.toThrow('the disk is full');
    expect(await positionOf(leases)).toBe(0);
    full = false;
    await reader.catchUp();
    expect(await positionOf(leases)).toBe(2);
    expect(handle).toHaveBeenCalledTimes(2);
  });

  it('ends after the current batch if the reader is stopped', async () => {
    const { store, leases, workers } = openFeed();
    await Promise.all(Array.from({ length: 600 }, (_, index) => store.append(newCommit(`session-${index}`, 1))));
    const batch = Promise.withResolvers<void>();
    const handle = vi.fn<FeedReaderOptions['handle']>(() => batch.promise);
    const reader = workers.newReader('ann', leases, { handle });
    const caughtUp = reader.catchUp();
    await eventually(() => expect(handle).toHaveBeenCalled());
    const stopped = reader.stop();
    batch.resolve();
    await Promise.all([stopped, caughtUp]);
    expect(handle).toHaveBeenCalledTimes(1);
    expect(await leases.progress('reader')).toEqual([{ slot: 0, position: 500, owner: undefined }]);
  });

  it('does nothing after the reader was stopped', async () => {
    const { store, leases, workers } = openFeed();
    await append(store, 'account-1', 1);
    const reader = workers.newReader('ann', leases);
    await reader.stop();
    await reader.catchUp();
    expect(workers.done).toEqual([]);
  });
});

describe('following', () => {
  it('continues where the previous process stopped', async () => {
    const { store, leases, workers } = openFeed();
    await append(store, 'account-1', 1, 2);
    const before = workers.newReader('ann', leases);
    await before.catchUp();
    await before.stop();
    await append(store, 'account-1', 3);
    workers.newReader('bea', leases).start();
    await eventually(() => expect(workers.done).toEqual(['account-1:1', 'account-1:2', 'account-1:3']));
    expect(workers.handled.at(-1)?.owner).toBe('bea');
  });

  it('polls on every signal, and once a second without one', async () => {
    const { store, leases, workers } = openFeed();
    const polls = vi.spyOn(store, 'slotsWithNews');
    const onAppended = vi.spyOn(store, 'onAppended').mockReturnValue(() => {});
    workers.newReader('ann', leases).start();
    await eventually(() => expect(polls).toHaveBeenCalled());
    await append(store, 'account-1', 1);
    await eventually(() => expect(workers.done).toEqual(['account-1:1']));
    const [[wake]] = onAppended.mock.calls as [[() => void]];
    const began = performance.now();
    for (let version = 2; version <= 11; version++) {
      await append(store, 'account-1', version);
      wake();
      await eventually(() => expect(workers.done).toHaveLength(version));
    }
    // Without signals, ten polls take ten seconds.
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  it('needs no signals if it does not listen', async () => {
    const { store, leases, workers } = openFeed();
    const onAppended = vi.spyOn(store, 'onAppended');
    workers.newReader('ann', leases, { listens: false }).start();
    await append(store, 'account-1', 1);
    await eventually(() => expect(workers.done).toEqual(['account-1:1']));
    await append(store, 'account-1', 2);
    await eventually(() => expect(workers.done).toEqual(['account-1:1', 'account-1:2']));
    expect(onAppended).not.toHaveBeenCalled();
  });

  it('starts the next batch only after the current one', async () => {
    const { store, leases, workers } = openFeed();
    const batch = Promise.withResolvers<void>();
    const handle = vi.fn<FeedReaderOptions['handle']>(() => batch.promise);
    const reader = workers.newReader('ann', leases, { handle });
    reader.start();
    await append(store, 'account-1', 1);
    await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    await append(store, 'account-1', 2);
    const stopped = reader.stop();
    expect(await positionOf(leases)).toBe(0);
    batch.resolve();
    await stopped;
    expect(handle).toHaveBeenCalledTimes(1);
    expect(await positionOf(leases)).toBe(1);
  });

  it('reports each outage once', async () => {
    const { store, leases, workers } = openFeed();
    const cuttable = new CuttableLeases(leases);
    const joins = vi.spyOn(cuttable, 'join');
    workers.newReader('ann', cuttable, { leaseMilliseconds: 300 }).start();
    await eventually(() => expect(joins).toHaveBeenCalled());
    for (const outage of [1, 2]) {
      cuttable.isCut = true;
      await append(store, 'account-1', outage);
      joins.mockClear();
      await eventually(() => expect(joins.mock.calls.length).toBeGreaterThan(3));
      expect(workers.errors).toHaveLength(outage);
      cuttable.isCut = false;
      await eventually(() => expect(workers.done).toHaveLength(outage));
    }
  });

  it('recovers from an outage that began with an unnecessary signal, even in idle slots', async () => {
    const { store, leases, workers } = openFeed();
    const onAppended = vi.spyOn(store, 'onAppended').mockReturnValue(() => {});
    const reads = vi.spyOn(store, 'readFeed');
    const reader = workers.newReader('ann', leases);
    reader.start();
    await eventually(() => expect(reader.status().positions.size).toBe(1));
    const [[wake]] = onAppended.mock.calls as [[(slot?: number) => void]];
    const away = () => Promise.reject(new StoreUnavailable('away'));
    reads.mockImplementation(away);
    await eventually(() => {
      wake(0);
      expect(reader.status().failing).toBe(true);
    });
    const polls = vi.spyOn(store, 'slotsWithNews').mockImplementationOnce(() => {
      reads.mockRestore();
      return away();
    });
    await eventually(() => {
      wake();
      expect(polls).toHaveBeenCalled();
    });
    await eventually(() => expect(reader.status().failing).toBe(false));
    expect(workers.errors).toHaveLength(1);
  });

  it('retries a failed batch and skips nothing', async () => {
    const { store, leases, workers } = openFeed();
    await append(store, 'account-1', 1, 2);
    let failures = 2;
    const meanwhile = async () => {
      if (failures-- > 0) throw new Error('not now');
    };
    workers.newReader('ann', leases, {}, meanwhile).start();
    await eventually(() => expect(workers.done).toEqual(['account-1:1', 'account-1:2']));
    expect(workers.errors.map(String)).toEqual(['Error: not now']);
  });
});
