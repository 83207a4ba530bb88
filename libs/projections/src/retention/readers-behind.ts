import type { FeedLeases } from '@keyfold/event-store';
import { projectorName } from '../projector.js';

/** The readers that must have passed a commit before it is compacted. */
export type ReadersBehind = Readonly<{
  /** Checkpoints of the projector and of all readers that are running. */
  leases: Pick<FeedLeases, 'readers' | 'progress' | 'now'>;
  /** Checkpoints of the relay, and its parked accounts, which it has sent only up to their positions. */
  relay: Readonly<{
    name: string;
    leases: FeedLeases;
    parked: Readonly<{ all(slot: number): Promise<readonly Readonly<{ partition: string; position: number }>[]> }>;
  }>;
}>;

/**
 * Returns the position of a slot up to which all readers are done with a partition. The projector of this version always counts, the relay
 * since it first ran, and any other reader while it has a lease. Throws `StoreUnavailable`.
 */
export async function doneUpTo({ leases, relay }: ReadersBehind, slot: number): Promise<(partition: string) => number> {
  const others = [...(await leases.readers())].filter((reader) => !reader.startsWith(RETENTION));
  const sent = await relay.leases.progress(relay.name);
  const positions = await Promise.all(
    [...new Set([projectorName, ...others])].map(async (reader) => positionIn(slot, await leases.progress(reader))),
  );
  const least = Math.min(...positions, sent.length > 0 ? positionIn(slot, sent) : Infinity);
  // Read after the checkpoints: a record is written before the checkpoint passes its position.
  const parked = new Map((await relay.parked.all(slot)).map(({ partition, position }) => [partition, position]));
  return (partition) => Math.min(least, (parked.get(partition) ?? Infinity) - 1);
}

/** Name prefix of readers that compact; they do not wait for each other. */
export const RETENTION = 'retention:';

const positionIn = (slot: number, progress: readonly Readonly<{ slot: number; position: number }>[]) =>
  progress.find((each) => each.slot === slot)?.position ?? 0;
