import type { EventStore, FeedLeases } from '@keyfold/event-store';
import { tableOf } from './table.js';

/** How far a reader of the feed has come in a slot, and who works on it. */
export type SlotStatus = Readonly<{
  slot: number;
  head: number;
  checkpoint: number;
  lag: number;
  owner: string | null;
}>;

/** The status of every slot. Throws `StoreUnavailable`. */
export async function slotStatuses(store: EventStore, leases: FeedLeases, reader: string): Promise<SlotStatus[]> {
  const progress = new Map((await leases.progress(reader)).map((each) => [each.slot, each]));
  return [...(await store.readHeads())].map(([slot, head]) => {
    const { position: checkpoint = 0, owner = null } = progress.get(slot) ?? {};
    return { slot, head, checkpoint, lag: head - checkpoint, owner };
  });
}

export const totalOf = (slots: readonly SlotStatus[]) => ({
  commits: slots.reduce((sum, { head }) => sum + head, 0),
  done: slots.reduce((sum, { checkpoint }) => sum + checkpoint, 0),
  lag: slots.reduce((sum, { lag }) => sum + lag, 0),
  owners: new Set(slots.flatMap(({ owner }) => owner ?? [])).size,
});

/** The lines of a table of all slots. */
export function slotTable(slots: readonly SlotStatus[]): Iterable<string> {
  const { commits, done, lag, owners } = totalOf(slots);
  return tableOf(
    ['slot', 'head', 'checkpoint', 'lag', 'owner'],
    slots.map(({ slot, head, checkpoint, lag: behind, owner }) => [slot, head, checkpoint, behind, owner ?? 'nobody']),
    ['all', commits, done, lag, `${owners} ${owners === 1 ? 'process' : 'processes'}`],
  );
}
