import { collectionOf } from '@keyfold/event-store/mongo';
import type { Connection } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { active, deleted } from '../../testing/read-model-store.contract.js';
import type { ReadModelStore } from '../read-model-store.js';
import { accountStream } from '../stream-ref.js';
import { ListCounter } from './list-counter.js';
import { SORT_KEYS_PER_RANGE, totalOf, type Ranks } from './list-ranks.js';
import { joinReadModels, openReadModels } from '../../testing/open-read-models.js';

const COLLECTION = 'accounts_1';
const counted = (counter: ListCounter) => vi.waitUntil(() => counter.ranks(), { timeout: 10_000 });
async function places(connection: Connection): Promise<number[]> {
  const stored = collectionOf<{ _id: string; place: number }>(connection, COLLECTION).find({
    place: { $exists: true },
  });
  return (await stored.toArray()).map(({ place }) => place);
}

function ranksOf(all: Iterable<number>): Ranks {
  const ranges = Map.groupBy(all, (place) => Math.floor(place / SORT_KEYS_PER_RANGE));
  return [...ranges].map(([range, { length }]) => [range, length] as const).sort(([a], [b]) => a - b);
}

describe('a counted list', () => {
  it('includes all changes of all processes at once, whenever it was counted', async () => {
    const { uri, connection, store } = await openReadModels();
    const stores: ReadModelStore[] = [store, (await joinReadModels(uri)).store];
    // The first counter keeps everything before the current second at once, so that the test sees its baseline advance.
    const counters = [new ListCounter(connection, COLLECTION, 0), new ListCounter(connection, COLLECTION)];
    for (const counter of counters) await counted(counter);
    const versions = new Map<number, number>();
    const listed = new Set<number>();
    let random = 7;
    const next = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below;
    for (let step = 0; step < 120; step++) {
      if (step % 40 === 39) await sleep(1_100);
      const id = 1 + 700 * next(30);
      const [ref, version] = [accountStream(id), (versions.get(id) ?? 0) + 1];
      const writer = stores[next(2)]!;
      const kind = next(10);
      if (kind === 0) await writer.remove(ref, version - 1);
      else await writer.put(ref, { state: kind < 4 ? deleted(id) : active(id), version });
      versions.set(id, kind === 0 ? 0 : version);
      if (kind >= 4) listed.add(id);
      else listed.delete(id);
      for (const counter of counters) expect(await counter.ranks()).toEqual(ranksOf(listed));
      if (step % 30 === 0) counters.push(new ListCounter(connection, COLLECTION, step % 2));
      for (const counter of counters) await counted(counter);
    }
    expect(new Set(await places(connection))).toEqual(listed);
  });

  it('is correct after a count during concurrent writes', async () => {
    const { uri, connection, store } = await openReadModels();
    const other = await joinReadModels(uri);
    const write = async (each: ReadModelStore, first: number) => {
      for (let id = first; id < 6_000; id += 2) {
        await each.put(accountStream(id), { state: active(id), version: 1 });
        if (id % 5 === 0) await each.put(accountStream(id), { state: deleted(id), version: 2 });
        if (id > first + 600) return;
      }
    };
    const counters: ListCounter[] = [];
    const writing = Promise.all([write(store, 1), write(other.store, 1_000)]);
    let done = false;
    void writing.finally(() => (done = true));
    do {
      const counter = new ListCounter(connection, COLLECTION, counters.length % 2);
      counters.push(counter);
      await counted(counter);
    } while (!done && counters.length < 30);
    await writing;
    const truth = ranksOf(await places(connection));
    expect(totalOf(truth)).toBeGreaterThan(400);
    for (const counter of counters) expect(await counter.ranks()).toEqual(truth);
  });
});
