import type { Commit, NewCommit } from '../src/commit.js';
import { COMPACTION, voidStreamOf } from '../src/compaction.js';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from '../src/event-store.errors.js';
import { EventStore, replayed, type Appended, type FoundHold, type StreamPoint } from '../src/event-store.js';
import type { CommitFeed } from '../src/feed/commit-feed.js';

/** The simplest event store and feed, to compare adapters with: slow, in memory, one append at a time. */
export class ModelEventStore extends EventStore implements CommitFeed {
  readonly commits: Commit[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(readonly slots = 1) {
    super();
  }

  slotOf(partition: string): number {
    if (partition.startsWith(VOID)) return Number(partition.slice(VOID.length));
    return Buffer.from(partition).reduce((sum, byte) => sum + byte, 0) % this.slots;
  }

  append(commit: NewCommit): Promise<Appended> {
    this.appends.batches.observe(1);
    return this.appends.measure(commit, () => this.#append(commit));
  }

  async #append(commit: NewCommit): Promise<Appended> {
    const earlier = this.commits.find(({ command }) => command.id === commit.command.id);
    if (earlier?.command.hash === commit.command.hash) return replayed(earlier);
    if (earlier) throw new CommandIdReused(commit.command.id);
    if (commit.version !== this.commits.filter(({ stream }) => stream === commit.stream).length + 1)
      throw new WrongExpectedVersion(commit.stream, commit.version);
    const taken = commit.holds?.find((key) => this.commits.some(({ holds }) => holds?.includes(key)));
    if (taken !== undefined) throw new HoldTaken(taken);

    const position = this.#lastPosition(this.slotOf(commit.partition)) + 1;
    const stored = structuredClone({ ...commit, position });
    this.commits.push(stored);
    for (const wake of this.#listeners) wake();
    return { outcome: 'appended', commit };
  }

  async readStreams(points: readonly StreamPoint[]): Promise<Commit[]> {
    return points.flatMap(({ stream, version }) =>
      this.commits.filter((commit) => commit.stream === stream && commit.version > version),
    );
  }

  async findCommands(ids: readonly string[]): Promise<Commit[]> {
    return this.commits.filter(({ command }) => ids.includes(command.id));
  }

  async findHolds(keys: readonly string[]): Promise<string[]> {
    return this.commits.flatMap(({ holds = [] }) => holds).filter((key) => keys.includes(key));
  }

  async findLastHold(prefix: string): Promise<FoundHold | undefined> {
    return this.commits
      .flatMap(({ holds = [], stream, at }) => holds.map((key) => ({ key, stream, at })))
      .filter(({ key }) => key.startsWith(prefix))
      .toSorted((left, right) => Buffer.compare(Buffer.from(left.key), Buffer.from(right.key)))
      .at(-1);
  }

  async readFeed(slot: number, after: number, limit: number): Promise<Commit[]> {
    const behind = this.#feed(slot).filter(({ position }) => position > after);
    return behind.filter(({ position }, index) => position === after + 1 + index).slice(0, limit);
  }

  async readHeads(): Promise<Map<number, number>> {
    return new Map(Array.from({ length: this.slots }, (_, slot) => [slot, this.#lastPosition(slot)]));
  }

  async slotsWithNews(positions: ReadonlyMap<number, number>): Promise<number[]> {
    return [...positions].filter(([slot, position]) => this.#lastPosition(slot) > position).map(([slot]) => slot);
  }

  async closeHoles(slot: number, after: number): Promise<number> {
    const taken = new Set(this.#feed(slot).map(({ position }) => position));
    const holes: number[] = [];
    for (let position = after + 1; position < this.#lastPosition(slot); position++) {
      if (!taken.has(position)) holes.push(position);
    }
    this.commits.push(...holes.map((position) => voidCommit(slot, position)));
    return holes.length;
  }

  async compact(streams: readonly string[]): Promise<number> {
    const replaced = this.commits.filter(({ stream }) => streams.includes(stream));
    for (const commit of replaced) this.commits[this.commits.indexOf(commit)] = this.#compacted(commit);
    return replaced.length;
  }

  onAppended(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => this.#listeners.delete(wake);
  }

  async close(): Promise<void> {}

  #compacted({ stream, version, command: { id, hash }, at, holds, position, partition }: Commit): Commit {
    return {
      partition: `${VOID}${this.slotOf(partition)}`,
      stream: voidStreamOf(stream),
      version,
      command: { id, type: COMPACTION, hash },
      at,
      actor: 'compaction',
      correlation: id,
      events: [],
      ...(holds && { holds }),
      position,
    };
  }

  #feed(slot: number): Commit[] {
    return this.commits
      .filter(({ partition }) => this.slotOf(partition) === slot)
      .toSorted((left, right) => left.position - right.position);
  }

  #lastPosition(slot: number): number {
    return this.#feed(slot).at(-1)?.position ?? 0;
  }
}

const VOID = 'void-';

const voidCommit = (slot: number, position: number): Commit => ({
  position,
  partition: `${VOID}${slot}`,
  stream: `${VOID}${slot}`,
  version: position,
  command: { id: `void:${slot}:${position}`, type: 'void', hash: '' },
  at: 0,
  actor: 'feed',
  correlation: 'feed',
  events: [],
});
