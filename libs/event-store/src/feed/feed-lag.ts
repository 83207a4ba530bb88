import type { CommitFeed } from '../commit-feed.js';

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
