import type { FeedLeases } from '@keyfold/event-store';
import { projectorName } from '../projector.js';

/** Whose checkpoints nothing may be compacted in front of. */
export type ReadersBehind = Readonly<{
  /** Of the projector, and of whoever else reads the feed now. */
  leases: Pick<FeedLeases, 'readers' | 'progress' | 'now'>;
  /** What tells others: its checkpoints, and the accounts of which nothing was sent from a position on, whatever the checkpoint says. */
  relay: Readonly<{
    name: string;
    leases: FeedLeases;
    parked: Readonly<{ all(slot: number): Promise<readonly Readonly<{ partition: string; position: number }>[]> }>;
  }>;
}>;

/**
 * Up to which position of a slot everybody is done with the commits of a partition. The projector of this version counts always, the
 * relay since it first ran, and every other reader while somebody holds a slot for it. Throws `StoreUnavailable`.
 */
export async function doneUpTo({ leases, relay }: ReadersBehind, slot: number): Promise<(partition: string) => number> {
  const others = [...(await leases.readers())].filter((reader) => !reader.startsWith(RETENTION));
  const sent = await relay.leases.progress(relay.name);
  const positions = await Promise.all(
    [...new Set([projectorName, ...others])].map(async (reader) => positionIn(slot, await leases.progress(reader))),
  );
  const least = Math.min(...positions, sent.length > 0 ? positionIn(slot, sent) : Infinity);
  // After the checkpoint: a record is there before it passes.
  const parked = new Map((await relay.parked.all(slot)).map(({ partition, position }) => [partition, position]));
  return (partition) => Math.min(least, (parked.get(partition) ?? Infinity) - 1);
}

/** What the names of readers begin with that compact: they do not wait for each other. */
export const RETENTION = 'retention:';

const positionIn = (slot: number, progress: readonly Readonly<{ slot: number; position: number }>[]) =>
  progress.find((each) => each.slot === slot)?.position ?? 0;
