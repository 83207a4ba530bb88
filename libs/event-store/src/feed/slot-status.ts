import type { CommitFeed } from './commit-feed.js';
import type { FeedLeases } from './feed-leases.js';

/** The progress of a reader of the feed in a slot, and the process that owns the slot. */
export type SlotStatus = Readonly<{
  slot: number;
  head: number;
  checkpoint: number;
  lag: number;
  owner: string | null;
}>;

/** Returns the status of every slot for a reader. Two round trips. Throws `StoreUnavailable`. */
export async function slotStatuses(feed: CommitFeed, leases: FeedLeases, reader: string): Promise<SlotStatus[]> {
  const progress = new Map((await leases.progress(reader)).map((each) => [each.slot, each]));
  return [...(await feed.readHeads())].map(([slot, head]) => {
    const { position: checkpoint = 0, owner = null } = progress.get(slot) ?? {};
    return { slot, head, checkpoint, lag: head - checkpoint, owner };
  });
}

/** Adds up the status of all slots. `owners` is the number of processes. */
export const totalOfSlots = (slots: readonly SlotStatus[]) => ({
  commits: slots.reduce((sum, { head }) => sum + head, 0),
  done: slots.reduce((sum, { checkpoint }) => sum + checkpoint, 0),
  lag: slots.reduce((sum, { lag }) => sum + lag, 0),
  owners: new Set(slots.flatMap(({ owner }) => owner ?? [])).size,
});
