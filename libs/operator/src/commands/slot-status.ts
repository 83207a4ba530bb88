import type { CommitFeed, FeedLeases } from '@keyfold/event-store';

/** The progress of a reader of the feed in a slot, and the process that owns the slot. */
export type SlotStatus = Readonly<{
  slot: number;
  head: number;
  checkpoint: number;
  lag: number;
  owner: string | null;
}>;

/** Returns the status of every slot. Throws `StoreUnavailable`. */
export async function slotStatuses(feed: CommitFeed, leases: FeedLeases, reader: string): Promise<SlotStatus[]> {
  const progress = new Map((await leases.progress(reader)).map((each) => [each.slot, each]));
  return [...(await feed.readHeads())].map(([slot, head]) => {
    const { position: checkpoint = 0, owner = null } = progress.get(slot) ?? {};
    return { slot, head, checkpoint, lag: head - checkpoint, owner };
  });
}
