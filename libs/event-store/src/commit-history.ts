import type { Commit } from './commit.js';

/**
 * The place of a commit in the history: by time, and by `key` among those of the same millisecond. It never changes, so a reader that
 * continues after a place neither skips nor repeats a commit, whatever is appended meanwhile.
 */
export type HistoryPlace = Readonly<{ at: number; key: number }>;

/** A commit at its place. */
export type PlacedCommit = Readonly<{ place: HistoryPlace; commit: Commit }>;

/** Which commits to read: of one partition or of all, not before the time `from`, and older than the place `before`. */
export type HistoryRange = Readonly<{ partition?: string; from?: number; before?: HistoryPlace }>;

/** Returns the place before which everything happened earlier than this time. */
export const placeAt = (at: number): HistoryPlace => ({ at, key: 0 });

/** Reads the commits of the store backwards in time. Abstract, so that it is both type and injection token. */
export abstract class CommitHistory {
  /**
   * Returns at most `limit` commits of the range, the newest first, including everything acknowledged before the call. Void commits are
   * left out. The time is that of the process that made the commit: with clocks that differ, a commit can have its place before older
   * ones. Costs what it returns, however long the history is. Throws `StoreUnavailable`.
   */
  abstract readHistory(range: HistoryRange, limit: number): Promise<PlacedCommit[]>;
}
