import type { Commit, NewCommit } from '../commit.js';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from '../event-store.errors.js';
import { Counter, EventStore, type Appended, type FoundHold, type StreamPoint } from '../event-store.js';
import type { OpenStore } from './contract-case.contract.js';

/** The port in as few words as possible: what adapters are compared with. Slow, in memory, one append after another. */
export class ModelEventStore extends EventStore {
  readonly commits: Commit[] = [];

  constructor(readonly slots = 1) {
    super();
  }

  async append(commit: NewCommit): Promise<Appended> {
    const earlier = this.commits.find(({ command }) => command.id === commit.command.id);
    if (earlier?.command.hash === commit.command.hash) return { outcome: 'replayed', commit: earlier };
    if (earlier) throw new CommandIdReused(commit.command.id);
    const version = this.commits.filter(({ stream }) => stream === commit.stream).length;
    if (commit.version !== version + 1) throw new WrongExpectedVersion(commit.stream, commit.version);
    const taken = commit.holds?.find((key) => this.commits.some(({ holds }) => holds?.includes(key)));
    if (taken !== undefined) throw new HoldTaken(taken);

    const position = this.feed(this.slotOf(commit.partition)).length + 1;
    const stored = structuredClone({ ...commit, position });
    this.commits.push(stored);
    return { outcome: 'appended', commit: stored };
  }

  async readStreams(points: readonly StreamPoint[]): Promise<Commit[]> {
    return points.flatMap(({ stream, version }) =>
      this.commits.filter((commit) => commit.stream === stream && commit.version > version),
    );
  }

  async findCommand(id: string): Promise<Commit | undefined> {
    return this.commits.find(({ command }) => command.id === id);
  }

  async findLastHold(prefix: string): Promise<FoundHold | undefined> {
    return this.commits
      .flatMap(({ holds = [], stream }) => holds.map((key) => ({ key, stream })))
      .filter(({ key }) => key.startsWith(prefix))
      .toSorted((left, right) => Buffer.compare(Buffer.from(left.key), Buffer.from(right.key)))
      .at(-1);
  }

  async readFeed(slot: number, after: number, limit: number): Promise<Commit[]> {
    return this.feed(slot).slice(after, after + limit);
  }

  async close(): Promise<void> {}

  protected feed(slot: number): Commit[] {
    return this.commits.filter(({ partition }) => this.slotOf(partition) === slot);
  }

  protected slotOf(partition: string): number {
    return Buffer.from(partition).reduce((sum, byte) => sum + byte, 0) % this.slots;
  }
}

export class ModelCounter extends Counter {
  protected readonly next = new Map<string, number>();

  async take(name: string, count: number, start: number): Promise<number> {
    const first = this.next.get(name) ?? start;
    this.next.set(name, first + count);
    return first;
  }
}

/** A store in memory, ready for the suite; reopening it finds what it had. */
export function openInMemory(store: EventStore, counter: Counter): OpenStore {
  const open: OpenStore = { store, counter, reopen: async () => open, close: () => store.close() };
  return open;
}
