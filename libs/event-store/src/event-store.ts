import { AppendCounts } from './append-counts.js';
import type { Commit, NewCommit } from './commit.js';

/** A version of a stream. Readers ask for the commits after it; 0 is the beginning. */
export type StreamPoint = Readonly<{ stream: string; version: number }>;

/**
 * `replayed`: a commit with the same command id already existed, and this is that commit. It has no position, because a store may need a
 * further round trip for it.
 */
export type Appended = Readonly<{ outcome: 'appended' | 'replayed'; commit: NewCommit }>;

/** Returns the answer to an append whose command has this commit already. */
export function replayed({ position: _, ...commit }: Commit): Appended {
  return { outcome: 'replayed', commit };
}

/** A hold that was found by its prefix; `stream` and `at` come from the commit that took it. */
export type FoundHold = Readonly<{ key: string; stream: string; at: number }>;

/**
 * Appends commits to streams and reads them back. Several processes may append to one store, and the store may be remote: every
 * method may throw `StoreUnavailable`, and nothing is ever half written. An abstract class, so that it is both type and injection token.
 */
export abstract class EventStore {
  /** Statistics on the appends of this process; the adapter records them. */
  readonly appends = new AppendCounts();

  /**
   * Stores one commit durably, or nothing. Concurrent appends may share a round trip; an error of one reaches only its caller. If
   * several refusals apply, the order is: replay, CommandIdReused, WrongExpectedVersion, HoldTaken.
   *
   * @throws CommandIdReused a different request used the command id
   * @throws HoldTaken a hold belongs to another commit
   * @throws WrongExpectedVersion the stream is not at `version - 1`, or it was compacted
   * @throws Contended other writers were faster every time; retry
   * @throws StoreUnavailable the outcome is unknown; the same commit may be appended again
   */
  abstract append(commit: NewCommit): Promise<Appended>;

  /**
   * Returns the commits after the given points, including everything acknowledged before the call. The commits of one stream are in
   * version order without gaps. Nonexistent streams yield nothing. One round trip for all streams.
   */
  abstract readStreams(points: readonly StreamPoint[]): Promise<Commit[]>;

  /**
   * Returns, without asking a remote store, whether nothing was acknowledged after these points; undefined if that takes a read. `false`
   * may be wrong.
   */
  isCurrent(_points: readonly StreamPoint[]): boolean | undefined {
    return undefined;
  }

  /** Returns the commit of a command id, if there is one. */
  async findCommand(id: string): Promise<Commit | undefined> {
    return (await this.findCommands([id]))[0];
  }

  /** Returns the commits of command ids, in any order. One round trip for all. */
  abstract findCommands(ids: readonly string[]): Promise<Commit[]>;

  /** Returns the hold that sorts last, in byte order, among those that start with `prefix`. */
  abstract findLastHold(prefix: string): Promise<FoundHold | undefined>;

  /** Returns those of the holds that some commit has taken, in any order. One round trip for all. */
  abstract findHolds(keys: readonly string[]): Promise<string[]>;

  /** Finishes accepted appends, then releases files and connections. */
  abstract close(): Promise<void>;
}

/**
 * The order of a commit in the history: by time, and by `key` among those of the same millisecond. It never changes, so a reader that
 * continues after a cursor neither skips nor repeats a commit, whatever is appended meanwhile.
 */
export type HistoryCursor = Readonly<{ at: number; key: number }>;

/** A commit of the history. */
export type HistoryEntry = Readonly<{ cursor: HistoryCursor; commit: Commit }>;

/** Which commits to read: of one partition or of all, not before the time `from`, and older than the cursor `before`. */
export type HistoryRange = Readonly<{ partition?: string; from?: number; before?: HistoryCursor }>;

/** Returns the cursor before which everything happened earlier than this time. */
export const cursorAt = (at: number): HistoryCursor => ({ at, key: 0 });

/** Reads the commits of the store backwards in time. Abstract, so that it is both type and injection token. */
export abstract class CommitHistory {
  /**
   * Returns at most `limit` commits of the range, the newest first, including everything acknowledged before the call. Void commits are
   * left out. The time is that of the process that made the commit: with clocks that differ, a commit can stand before older
   * ones. Costs what it returns, however long the history is. Throws `StoreUnavailable`.
   */
  abstract readHistory(range: HistoryRange, limit: number): Promise<HistoryEntry[]>;
}

/** Hands out numbers, each at most once; gaps are normal. */
export abstract class Counter {
  /** Reserves `count` consecutive numbers and returns the first. The counter begins at `start`. */
  abstract take(name: string, count: number, start: number): Promise<number>;

  /** Moves a counter forward, so that it hands out no number below `next`. */
  async skipTo(name: string, next: number): Promise<void> {
    const known = await this.take(name, 0, next);
    if (known < next) await this.take(name, next - known, next);
  }

  /** Returns the next number of every counter that has begun. */
  abstract read(): Promise<Map<string, number>>;
}
