import {
  CLOSE_HOLE,
  compactedStreamOf,
  isCompacted,
  voidStreamOf,
  type Commit,
  type CommitFeed,
  type CommitIntake,
  type EventStore,
} from '@keyfold/event-store';
import pLimit from 'p-limit';
import { isDeepStrictEqual } from 'node:util';
import { CopyRefused, type Positions } from './source-feed.js';

const PARALLEL_SLOTS = 16;
const VOID_PARTITION = /^void-(\d+)$/;

/** Whether a commit belongs to one store only. */
export const isOfOneStore = ({ command }: Pick<Commit, 'command'>): boolean => command.type === CLOSE_HOLE;

type Target = Readonly<{ store: EventStore; feed: CommitFeed; intake: CommitIntake }>;

/** The feed of the target. Commits of the source get the next positions of their slots there. */
export class TargetFeed {
  readonly #heads: Map<number, number>;

  /** `heads`: the last positions of all slots. Nothing else may write to the target. */
  constructor(
    private readonly target: Target,
    heads: Positions,
  ) {
    this.#heads = new Map(heads);
  }

  get heads(): Positions {
    return this.#heads;
  }

  /** Stores commits in their order in each slot, and reads them back. Throws `CopyRefused`, `IntakeRefused`, `StoreUnavailable`. */
  async takeOver(commits: readonly Commit[]): Promise<void> {
    const slots = await this.#slotsOfContinued(commits);
    const bySlot = Map.groupBy(commits, (commit) => slots.get(commit.stream) ?? this.#slotOf(commit));
    await pLimit(PARALLEL_SLOTS).map([...bySlot], async ([slot, own]) => {
      const head = this.#heads.get(slot) ?? 0;
      const placed = own.map((commit, index) => placedAt(commit, slot, head + 1 + index));
      await this.target.intake.takeOver(slot, placed);
      this.#heads.set(slot, head + placed.length);
      await this.#compare(slot, head, placed);
    });
  }

  /** A commit of a compacted stream has lost its partition. Its slot follows from the stream, so that those of a stream keep their order. */
  #slotOf(commit: Commit): number {
    return this.target.feed.slotOf(isCompacted(commit) ? commit.stream : commit.partition);
  }

  /** Returns the slots of compacted streams that begin in an earlier batch, by the names of their void streams: each stream stays in one slot. */
  async #slotsOfContinued(commits: readonly Commit[]): Promise<Map<string, number>> {
    const first = new Map<string, number>();
    for (const { stream, version } of commits.filter(isCompacted)) if (!first.has(stream)) first.set(stream, version);
    const points = [...first].flatMap(([voided, version]) =>
      version === 1 ? [] : [voided, compactedStreamOf(voided)!].map((stream) => ({ stream, version: version - 2 })),
    );
    const found = await this.target.store.readStreams(points);
    return new Map(
      found.map((commit) =>
        isCompacted(commit)
          ? [commit.stream, Number(VOID_PARTITION.exec(commit.partition)![1])]
          : [voidStreamOf(commit.stream), this.target.feed.slotOf(commit.partition)],
      ),
    );
  }

  async #compare(slot: number, after: number, expected: readonly Commit[]): Promise<void> {
    const stored = await this.target.feed.readFeed(slot, after, expected.length);
    const differing = expected.find((commit, index) => !isCopyOf(stored[index], commit));
    if (differing)
      throw new CopyRefused(
        `the target returns commit ${differing.command.id} of stream ${differing.stream} differently. Report this, and do not use the target`,
      );
  }
}

function placedAt({ holds = [], ...commit }: Commit, slot: number, position: number): Commit {
  const partition = isCompacted(commit) ? `void-${slot}` : commit.partition;
  return { ...commit, partition, position, ...(holds.length > 0 && { holds }) };
}

/** A stream that was compacted while it was read is void in the target as a whole. */
const isCopyOf = (stored: Commit | undefined, commit: Commit): boolean =>
  stored !== undefined &&
  (isDeepStrictEqual(stored, commit) || (isCompacted(stored) && isDeepStrictEqual(kept(stored), kept(commit))));

/** Returns the fields that a compaction keeps. */
const kept = ({ position, version, command, at, holds }: Commit) => ({
  position,
  version,
  at,
  holds,
  id: command.id,
  hash: command.hash,
});
