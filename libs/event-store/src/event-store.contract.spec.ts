import { describe, expect, it } from 'vitest';
import type { Commit, NewCommit } from './commit.js';
import { voidStreamOf } from './compacted-stream.js';
import { ModelCounter, ModelEventStore, openInMemory } from './contract/model-event-store.contract.js';
import type { WholeStore } from './contract/contract-case.contract.js';
import { newCommit } from './contract/new-commit.contract.js';
import { describeEventStore, eventStoreCases, type OpenStore } from './event-store.contract.js';
import type { CommitFeed } from './commit-feed.js';
import { Counter } from './counter.js';
import { EventStore, type Appended, type StreamPoint } from './event-store.js';
import type { StreamCompaction } from './stream-compaction.js';

/** Says yes to everything and keeps nothing. */
class NoopEventStore extends EventStore implements CommitFeed, StreamCompaction {
  readonly slots = 1;
  append = async (commit: NewCommit): Promise<Appended> => ({
    outcome: 'appended',
    commit: { ...commit, position: 1 },
  });
  readStreams = async () => [];
  findCommand = async () => undefined;
  findLastHold = async () => undefined;
  readFeed = async () => [];
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

/** Stores that break one promise each. */
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
  'tells of a hold the time of another commit of its stream': () =>
    new (class extends ModelEventStore {
      override async findLastHold(prefix: string) {
        const last = await super.findLastHold(prefix);
        const first = this.commits.find(({ stream }) => stream === last?.stream);
        return last && first && { ...last, at: first.at };
      }
    })(),
  'does not know a repeated command': () =>
    new (class extends ModelEventStore {
      override append = async (commit: NewCommit): Promise<Appended> => ({
        ...(await super.append(commit)),
        outcome: 'appended',
      });
    })(),
  'answers a reused command id as a repeated one': () =>
    new (class extends ModelEventStore {
      override append = (commit: NewCommit) =>
        super.append({ ...commit, command: { ...commit.command, hash: 'hash-1' } });
    })(),
  'reads a stream from its point instead of behind it': () =>
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
  'gives every stream a feed of its own': () =>
    new (class extends ModelEventStore {
      override append = ({ partition: _, ...commit }: NewCommit) =>
        super.append({ ...commit, partition: commit.stream });
    })(64),
  'ignores the limit of a page': () =>
    new (class extends ModelEventStore {
      override readFeed = (slot: number, after: number) => super.readFeed(slot, after, Infinity);
    })(),
  'has one answer for all slots': () =>
    new (class extends ModelEventStore {
      override readFeed = (_slot: number, after: number, limit: number) => super.readFeed(0, after, limit);
    })(64),
  'forgets that there are empty slots': () =>
    new (class extends ModelEventStore {
      override readHeads = async () => new Map([...(await super.readHeads())].filter(([, head]) => head > 0));
    })(64),
  'tells the position after the last one': () =>
    new (class extends ModelEventStore {
      override readHeads = async () => new Map([...(await super.readHeads())].map(([slot, head]) => [slot, head + 1]));
    })(64),
  'names another slot than the one of the feed': () =>
    new (class extends ModelEventStore {
      override slotOf = (partition: string) => (super.slotOf(partition) + 1) % this.slots;
      protected override feed = (slot: number) => super.feed((slot + 1) % this.slots);
    })(64),
  'forgets the slots that are behind': () =>
    new (class extends ModelEventStore {
      override slotsWithNews = async (positions: ReadonlyMap<number, number>) =>
        (await super.slotsWithNews(positions)).slice(1);
    })(64),
  'calls every slot behind': () =>
    new (class extends ModelEventStore {
      override slotsWithNews = async (positions: ReadonlyMap<number, number>) => [...positions.keys()];
    })(64),
  'answers for slots that were not asked about': () =>
    new (class extends ModelEventStore {
      override slotsWithNews = async (positions: ReadonlyMap<number, number>) => {
        const all = Array.from({ length: 64 }, (_, slot) => [slot, positions.get(slot) ?? 0] as const);
        return super.slotsWithNews(new Map(all));
      };
    })(64),
  'puts void commits where no hole is': () =>
    new (class extends ModelEventStore {
      override closeHoles = async (slot: number) => {
        await super.append(newCommit(`void-${slot}`, this.lastPosition(slot) + 1));
        return 1;
      };
    })(),
  'forgets the commands of what it compacts': () =>
    new (class extends ModelEventStore {
      protected override compacted = (commit: Commit) =>
        super.compacted({ ...commit, command: { ...commit.command, id: `void:${commit.command.id}` } });
    })(),
  'frees the holds of what it compacts': () =>
    new (class extends ModelEventStore {
      protected override compacted = ({ holds: _, ...commit }: Commit) => super.compacted(commit);
    })(),
  'compacts the first commit of a stream only': () =>
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
  'compacts streams whose names begin alike': () =>
    new (class extends ModelEventStore {
      override compact = (streams: readonly string[]) => {
        const alike = this.commits.filter((each) => streams.some((name) => each.stream.startsWith(name)));
        return super.compact(alike.map(({ stream }) => stream));
      };
    })(),
  'begins a compacted stream anew': () =>
    new (class extends ModelEventStore {
      protected override nextVersion = (name: string) => super.nextVersion(name) ?? 1;
    })(),
  'goes on behind what it compacted': () =>
    new (class extends ModelEventStore {
      protected override nextVersion = (name: string) =>
        super.nextVersion(name) ?? this.commits.filter(({ stream }) => stream === voidStreamOf(name)).length + 1;
    })(),
  'rings for ever': () =>
    new (class extends ModelEventStore {
      override onAppended = (ring: () => void) => {
        super.onAppended(ring);
        return () => {};
      };
    })(),
  'never rings': () =>
    new (class extends ModelEventStore {
      override onAppended = () => () => {};
    })(),
  'drops what is null': () =>
    new (class extends ModelEventStore {
      override append = (commit: NewCommit) =>
        super.append(JSON.parse(JSON.stringify(commit, (_, value) => value ?? undefined)) as NewCommit);
    })(),
};

describe('the contract suite', () => {
  it('has cases, each under a title of its own', () => {
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
