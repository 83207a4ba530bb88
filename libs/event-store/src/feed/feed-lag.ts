import type { CommitFeed } from '../commit-feed.js';

/** What a reader of the feed has before it. */
export type FeedLag = Readonly<{
  /** Commits behind the positions that it has reached. */
  pendingCommits: number;
  /** When the first of them happened, in unix milliseconds; one that a hole hides does not count. */
  oldestPendingAt: number | undefined;
}>;

/**
 * Looks what lies behind the positions of the given slots: one round trip for all, and one at once for each slot in which something does.
 * Throws `StoreUnavailable`.
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
