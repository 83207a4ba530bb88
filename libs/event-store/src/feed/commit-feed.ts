import type { Commit } from '../commit.js';

/**
 * All commits of the store, in feeds whose positions have no gaps. Every method may throw `StoreUnavailable`. Abstract, so that it is
 * both type and injection token.
 */
export abstract class CommitFeed {
  /** Number of feeds that the commits are divided into. A partition never moves to another one. */
  abstract readonly slots: number;

  /** Returns the slot, counted from 0, that holds the commits of a partition. */
  abstract slotOf(partition: string): number;

  /** Returns at most `limit` commits of a slot: ascending, and contiguous from `after + 1`. */
  abstract readFeed(slot: number, after: number, limit: number): Promise<Commit[]>;

  /**
   * Returns the last position of every slot, even if it is behind a hole; 0 for an empty slot. All of one moment: what was acknowledged
   * before one of these commits was appended is among them, too. One round trip for all slots.
   */
  abstract readHeads(): Promise<Map<number, number>>;

  /** Returns the given slots that hold a commit after the given position, even if it is behind a hole. One round trip for all slots. */
  abstract slotsWithNews(positions: ReadonlyMap<number, number>): Promise<number[]>;

  /**
   * Fills every free position between `after` and the last commit of the slot with a void commit, so that readers can pass it. An
   * append that arrives late gets another position. Returns the number of positions filled. Only the lease holder may call this.
   */
  abstract closeHoles(slot: number, after: number): Promise<number>;

  /**
   * Calls `wake` when any process may have appended, with the slot if it is known. Calls may be missed or unnecessary. Returns a
   * function that ends the subscription.
   */
  abstract onAppended(wake: (slot?: number) => void): () => void;
}

/** How far a reader is behind the feed. */
export type FeedLag = Readonly<{
  /** Number of commits after the positions that it has reached. */
  pendingCommits: number;
  /** Time of the oldest of them, in unix milliseconds. A commit behind a hole does not count. */
  oldestPendingAt: number | undefined;
}>;

/**
 * Measures the lag behind the given positions. One round trip for all slots, and one for each slot that has a lag, all at once. Throws
 * `StoreUnavailable`.
 */
export async function feedLag(feed: CommitFeed, positions: ReadonlyMap<number, number>): Promise<FeedLag> {
  const heads = await feed.readHeads();
  const behind = [...positions].map(([slot, position]) => ({
    slot,
    position,
    pending: (heads.get(slot) ?? 0) - position,
  }));
  const waiting = behind.filter(({ pending }) => pending > 0);
  const next = await Promise.all(waiting.map(({ slot, position }) => feed.readFeed(slot, position, 1)));
  const times = next.flat().map(({ at }) => at);
  return {
    pendingCommits: waiting.reduce((sum, { pending }) => sum + pending, 0),
    oldestPendingAt: times.length > 0 ? Math.min(...times) : undefined,
  };
}
