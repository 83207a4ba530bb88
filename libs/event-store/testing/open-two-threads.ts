import { AppendCounts } from '../src/append-counts.js';
import { Histogram } from '../src/histogram.js';
import { eventStoreSchema, SqliteCounter, SqliteEventStore } from '../src/sqlite/sqlite-event-store.js';
import { SqliteFile } from '../src/sqlite/sqlite-file.js';
import type { OpenStore } from './contract/contract-case.js';
import { OtherThread, type FirstThread } from './other-thread.js';

const ADAPTERS = new URL('../src/sqlite/sqlite-event-store.ts', import.meta.url);

/** Opens the event store in the file `path` in two threads, which take turns. Only the owner reads the feed and compacts. */
export function openInTwoThreads(path: string, first: FirstThread): OpenStore {
  const file = new SqliteFile(path, eventStoreSchema);
  const other = new OtherThread(file, ADAPTERS, first);
  const owner = new SqliteEventStore(file);
  const alternating = other.alternating(owner, ['append', 'readStreams', 'findCommand', 'findLastHold', 'readHistory']);
  const close = async () => {
    await other.close();
    await file.close();
  };
  return {
    store: new Proxy(alternating, {
      get: (target, name) =>
        name === 'appends' ? sumOf(owner.appends, other.appends) : (Reflect.get(target, name) as unknown),
    }),
    counter: other.alternating(new SqliteCounter(file), ['take']),
    close,
    reopen: async () => {
      await close();
      return openInTwoThreads(path, first);
    },
  };
}

/** Adds up the statistics of two threads, as the metrics of a process do. */
function sumOf(one: AppendCounts, two: AppendCounts): AppendCounts {
  const events = new Map(one.events);
  for (const [type, count] of two.events) events.set(type, (events.get(type) ?? 0) + count);
  return Object.assign(new AppendCounts(), {
    events,
    conflicts: one.conflicts + two.conflicts,
    failures: one.failures + two.failures,
    batches: added(one.batches, two.batches),
    durations: added(one.durations, two.durations),
  });
}

const added = (one: Histogram, two: Histogram) =>
  Object.assign(new Histogram(one.bounds), {
    counts: one.counts.map((count, index) => count + two.counts[index]!),
    sum: one.sum + two.sum,
  });
