import { describe, expect, it } from 'vitest';
import type { Commit, NewCommit } from '../src/commit.js';
import { voidStreamOf, type StreamCompaction } from '../src/compaction.js';
import {
  type CommitHistory,
  type HistoryRange,
  Counter,
  EventStore,
  type Appended,
  type StreamPoint,
} from '../src/event-store.js';
import type { CommitFeed } from '../src/feed/commit-feed.js';
import type { WholeStore } from './contract/contract-case.js';
import { describeEventStore, eventStoreCases, type OpenStore } from './event-store.contract.js';
import { ModelCounter, ModelEventStore, openInMemory } from './model-event-store.js';
import { newCommit } from './new-commit.js';

/** Acknowledges everything and stores nothing. */
class NoopEventStore extends EventStore implements CommitFeed, CommitHistory, StreamCompaction {
  readonly slots = 1;
  append = async (commit: NewCommit): Promise<Appended> => ({
    outcome: 'appended',
    commit: { ...commit, position: 1 },
  });
  readStreams = async () => [];
  findCommand = async () => undefined;
  findLastHold = async () => undefined;
  readFeed = async () => [];
  readHistory = async () => [];
  slotOf = () => 0;
  readHeads = async () => new Map<number, number>();
  slotsWithNews = async () => [];
  closeHoles = async () => 0;
  compact = async () => 0;
  onAppended = () => () => {};
  close = async () => {};
}

class NoopCounter extends Counter {
  take = async (_name: string, _count: number, start: number): Promise<number> => start;
}

/** Stores that break one guarantee each. */
const broken: Record<string, () => WholeStore> = {
  'forgets holds': () =>
    new (class extends ModelEventStore {
      override append = ({ holds: _, ...commit }: NewCommit) => super.append(commit);
    })(),
  'takes the holds of a commit that it refuses': () =>
    new (class extends ModelEventStore {
      #taken: string[] = [];
      override async findLastHold(prefix: string) {
        const key = this.#taken.find((taken) => taken.startsWith(prefix));
        return (await super.findLastHold(prefix)) ?? (key === undefined ? undefined : { key, stream: 'nobody', at: 0 });
      }
      override append(commit: NewCommit) {
        this.#taken.push(...(commit.holds ?? []));
        return super.append(commit);
      }
    })(),
  'returns a hold with the time of another commit of its stream': () =>
    new (class extends ModelEventStore {
      override async findLastHold(prefix: string) {
        const last = await super.findLastHold(prefix);
        const first = this.commits.find(({ stream }) => stream === last?.stream);
        return last && first && { ...last, at: first.at };
      }
    })(),
  'does not recognize a repeated command': () =>
    new (class extends ModelEventStore {
      override append = async (commit: NewCommit): Promise<Appended> => ({
        ...(await super.append(commit)),
        outcome: 'appended',
      });
    })(),
  'treats a reused command id as a repeated command': () =>
    new (class extends ModelEventStore {
      override append = (commit: NewCommit) =>
        super.append({ ...commit, command: { ...commit.command, hash: 'hash-1' } });
    })(),
  'reads a stream from the given version instead of after it': () =>
    new (class extends ModelEventStore {
      override readStreams = (points: readonly StreamPoint[]) =>
        super.readStreams(points.map(({ stream, version }) => ({ stream, version: version - 1 })));
    })(),
  'skips a position': () =>
    new (class extends ModelEventStore {
      override async append(commit: NewCommit) {
        const { outcome, commit: stored } = await super.append(commit);
        return { outcome, commit: Object.assign(stored, { position: stored.position * 2 }) };
      }
    })(),
  'gives every stream its own feed': () =>
    new (class extends ModelEventStore {
      override append = ({ partition: _, ...commit }: NewCommit) =>
        super.append({ ...commit, partition: commit.stream });
    })(64),
  'ignores the limit of a page': () =>
    new (class extends ModelEventStore {
      override readFeed = (slot: number, after: number) => super.readFeed(slot, after, Infinity);
    })(),
  'returns the same feed for all slots': () =>
    new (class extends ModelEventStore {
      override readFeed = (_slot: number, after: number, limit: number) => super.readFeed(0, after, limit);
    })(64),
  'omits empty slots': () =>
    new (class extends ModelEventStore {
      override readHeads = async () => new Map([...(await super.readHeads())].filter(([, head]) => head > 0));
    })(64),
  'returns the position after the last one': () =>
    new (class extends ModelEventStore {
      override readHeads = async () => new Map([...(await super.readHeads())].map(([slot, head]) => [slot, head + 1]));
    })(64),
  'returns a slot other than that of the feed': () =>
    new (class extends ModelEventStore {
      override slotOf = (partition: string) => (super.slotOf(partition) + 1) % this.slots;
      protected override feed = (slot: number) => super.feed((slot + 1) % this.slots);
    })(64),
  'misses a slot with news': () =>
    new (class extends ModelEventStore {
      override slotsWithNews = async (positions: ReadonlyMap<number, number>) =>
        (await super.slotsWithNews(positions)).slice(1);
    })(64),
  'reports news in every slot': () =>
    new (class extends ModelEventStore {
      override slotsWithNews = async (positions: ReadonlyMap<number, number>) => [...positions.keys()];
    })(64),
  'returns slots that were not passed': () =>
    new (class extends ModelEventStore {
      override slotsWithNews = async (positions: ReadonlyMap<number, number>) => {
        const all = Array.from({ length: 64 }, (_, slot) => [slot, positions.get(slot) ?? 0] as const);
        return super.slotsWithNews(new Map(all));
      };
    })(64),
  'writes void commits where there is no hole': () =>
    new (class extends ModelEventStore {
      override closeHoles = async (slot: number) => {
        await super.append(newCommit(`void-${slot}`, this.lastPosition(slot) + 1));
        return 1;
      };
    })(),
  'loses the command ids of compacted commits': () =>
    new (class extends ModelEventStore {
      protected override compacted = (commit: Commit) =>
        super.compacted({ ...commit, command: { ...commit.command, id: `void:${commit.command.id}` } });
    })(),
  'frees the holds of compacted commits': () =>
    new (class extends ModelEventStore {
      protected override compacted = ({ holds: _, ...commit }: Commit) => super.compacted(commit);
    })(),
  'compacts only the first commit of a stream': () =>
    new (class extends ModelEventStore {
      protected override compacted = (commit: Commit) => (commit.version === 1 ? super.compacted(commit) : commit);
    })(),
  'leaves holes where it compacts': () =>
    new (class extends ModelEventStore {
      override compact = async (streams: readonly string[]) => {
        const compacted = await super.compact(streams);
        const kept = this.commits.filter(({ actor }) => actor !== 'compaction');
        this.commits.splice(0, this.commits.length, ...kept);
        return compacted;
      };
    })(),
  'compacts streams with a common prefix': () =>
    new (class extends ModelEventStore {
      override compact = (streams: readonly string[]) => {
        const alike = this.commits.filter((each) => streams.some((name) => each.stream.startsWith(name)));
        return super.compact(alike.map(({ stream }) => stream));
      };
    })(),
  'restarts a compacted stream': () =>
    new (class extends ModelEventStore {
      protected override nextVersion = (name: string) => super.nextVersion(name) ?? 1;
    })(),
  'continues a compacted stream': () =>
    new (class extends ModelEventStore {
      protected override nextVersion = (name: string) =>
        super.nextVersion(name) ?? this.commits.filter(({ stream }) => stream === voidStreamOf(name)).length + 1;
    })(),
  'never ends a subscription': () =>
    new (class extends ModelEventStore {
      override onAppended = (wake: () => void) => {
        super.onAppended(wake);
        return () => {};
      };
    })(),
  'never calls listeners': () =>
    new (class extends ModelEventStore {
      override onAppended = () => () => {};
    })(),
  'ignores the partition of a history': () =>
    new (class extends ModelEventStore {
      override readHistory = ({ partition: _, ...range }: HistoryRange, limit: number) =>
        super.readHistory(range, limit);
    })(),
  'ignores the start of a history': () =>
    new (class extends ModelEventStore {
      override readHistory = ({ from: _, ...range }: HistoryRange, limit: number) => super.readHistory(range, limit);
    })(),
  'lists a history in the order of the feed': () =>
    new (class extends ModelEventStore {
      protected override cursorOf = (commit: Commit) => ({ ...super.cursorOf(commit), at: 0 });
    })(),
  'continues a history after the millisecond of the last commit': () =>
    new (class extends ModelEventStore {
      override readHistory = ({ before, ...range }: HistoryRange, limit: number) =>
        super.readHistory({ ...range, ...(before && { before: { ...before, key: 0 } }) }, limit);
    })(),
  'lists void commits': () =>
    new (class extends ModelEventStore {
      protected override compacted = (commit: Commit) => ({ ...super.compacted(commit), events: commit.events });
    })(),
  'drops null values': () =>
    new (class extends ModelEventStore {
      override append = (commit: NewCommit) =>
        super.append(JSON.parse(JSON.stringify(commit, (_, value) => value ?? undefined)) as NewCommit);
    })(),
};

describe('the contract suite', () => {
  it('has cases with distinct titles', () => {
    expect(eventStoreCases.length).toBeGreaterThan(30);
    expect(new Set(eventStoreCases.map(({ title }) => title)).size).toBe(eventStoreCases.length);
  });

  it.each(eventStoreCases)('fails for a store that does nothing: $title', async ({ run }) => {
    const failure: unknown = await run(openInMemory(new NoopEventStore(), new NoopCounter())).catch((error) => error);
    expect(failure).toHaveProperty('name', 'AssertionError');
  });

  it.each(Object.entries(broken))('fails for a store that %s', async (_, store) => {
    expect(await failingCases(() => openInMemory(store(), new ModelCounter()))).not.toEqual([]);
  });

  it('fails for a counter that does not count by name', async () => {
    class OneForAll extends ModelCounter {
      override take = (_name: string, count: number, start: number) => super.take('all', count, start);
    }
    expect(await failingCases(() => openInMemory(new ModelEventStore(), new OneForAll()))).not.toEqual([]);
  });
});

describeEventStore('The model', async () => openInMemory(new ModelEventStore(), new ModelCounter()));
describeEventStore('The model with 64 slots', async () => openInMemory(new ModelEventStore(64), new ModelCounter()));

async function failingCases(open: () => OpenStore): Promise<string[]> {
  const failing: string[] = [];
  for (const { title, run } of eventStoreCases) await run(open()).catch(() => failing.push(title));
  return failing;
}
