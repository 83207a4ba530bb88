import type { FeedLeases } from '@keyfold/event-store';
import { projectorName } from '../projecting/projector.js';

type Parked = Readonly<{
  all(slot: number): Promise<readonly Readonly<{ partition: string; position: number }>[]>;
}>;

/** The readers that must have passed a commit before it is compacted. */
export type ReadersBehind = Readonly<{
  /** Checkpoints of the projector, of all readers that are running, and of `mirror`. */
  leases: Pick<FeedLeases, 'readers' | 'progress' | 'now'>;
  /** Checkpoints of the relay, and its parked accounts, which it has sent only up to their positions. */
  relay: Readonly<{
    name: string;
    leases: FeedLeases;
    parked: Parked;
  }>;
  /**
   * The reader that carries accounts to OpenList, which has its checkpoints in `leases`, and its parked accounts. It does not read sessions.
   * `turns` are leases that no reader takes.
   */
  mirror: Readonly<{ name: string; turns: string; parked: Parked }>;
}>;

/** Name prefix of readers that compact; they do not wait for each other. */
export const RETENTION = 'retention:';

/**
 * Returns the position of a slot up to which all readers of sessions are done with a partition. The projector of this version always counts,
 * the relay and the reader of accounts since they first ran, and any other reader while it has a lease. Throws `StoreUnavailable`.
 */
export async function doneUpTo(readers: ReadersBehind, slot: number): Promise<(partition: string) => number> {
  const positions = await positionsOf(readers, slot);
  return (partition) => {
    const ofSessions = [...positions(partition)].filter(([reader]) => reader !== readers.mirror.name);
    return Math.min(...ofSessions.map(([, position]) => position));
  };
}

/** Returns the names of the readers that are not done with a position of a partition. Throws `StoreUnavailable`. */
export async function readersBefore(
  readers: ReadersBehind,
  { slot, partition, position }: Readonly<{ slot: number; partition: string; position: number }>,
): Promise<string[]> {
  const positions = (await positionsOf(readers, slot))(partition);
  return [...positions].filter(([, done]) => done < position).map(([reader]) => reader);
}

/** Returns a function that returns up to which position each reader is done with a partition. */
async function positionsOf({ leases, relay, mirror }: ReadersBehind, slot: number) {
  const others = (await leases.readers()).filter((each) => !each.startsWith(RETENTION) && each !== mirror.turns);
  const sent = await relay.leases.progress(relay.name);
  // Without its deletion, the mirror of an erased account would live on in OpenList.
  const carries = (await leases.progress(mirror.name)).length > 0 ? [mirror.name] : [];
  const readers = [...new Set([projectorName, ...others, ...carries])];
  const positions = new Map(
    await Promise.all(
      readers.map(async (reader) => [reader, positionIn(slot, await leases.progress(reader))] as const),
    ),
  );
  // Read after the checkpoints: a record is written before the checkpoint passes its position.
  const [toSend, toCarry] = [await parkedIn(slot, relay.parked), await parkedIn(slot, mirror.parked)];
  return (partition: string): ReadonlyMap<string, number> => {
    const upTo = new Map(positions);
    const carried = upTo.get(mirror.name);
    if (carried !== undefined) upTo.set(mirror.name, Math.min(carried, toCarry(partition) - 1));
    return upTo.set(relay.name, Math.min(sent.length > 0 ? positionIn(slot, sent) : Infinity, toSend(partition) - 1));
  };
}

/** Returns a function that returns the position at which a partition is parked. */
async function parkedIn(slot: number, parked: Parked): Promise<(partition: string) => number> {
  const positions = new Map((await parked.all(slot)).map(({ partition, position }) => [partition, position]));
  return (partition) => positions.get(partition) ?? Infinity;
}

const positionIn = (slot: number, progress: readonly Readonly<{ slot: number; position: number }>[]) =>
  progress.find((each) => each.slot === slot)?.position ?? 0;
