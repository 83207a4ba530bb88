import { relayName } from '@keyfold/messaging';
import type { LogAdapters } from '@keyfold/wiring';
import { hash } from 'node:crypto';
import { recordedErasures } from '../erasure/erasure-records.js';
import type { Manifest } from './manifest.js';

/** A moment of a store: everything up to the heads, and what of it is not in the commits. */
export type Cut = Pick<Manifest, 'heads' | 'counters' | 'relay' | 'erased'> & Readonly<{ at: number }>;

const hashOf = (commandId: string) => hash('sha256', commandId);

/** Reads what belongs to a cut. A relay that goes on meanwhile has sent more than the cut contains, never less. */
export async function takeCut(
  { feed, counter, relayLeases, parkedRelays, store }: LogAdapters,
  at: number,
): Promise<Cut> {
  const positions = await feed.readHeads();
  // A record of a parked account is written before the checkpoint passes it.
  const checkpoints = await relayLeases.progress(relayName);
  const parked = await parkedRelays.all();
  const counters = await counter.read();
  const heads = [];
  for (const [slot, position] of positions) {
    const [last] = position === 0 ? [] : await feed.readFeed(slot, position - 1, 1);
    if (last) heads.push({ slot, position, command: hashOf(last.command.id) });
  }
  const headOf = (slot: number) => positions.get(slot) ?? 0;
  return {
    at,
    heads,
    counters: Object.fromEntries(counters),
    relay: {
      checkpoints: checkpoints.map(({ slot, position }) => ({ slot, position: Math.min(position, headOf(slot)) })),
      parked: parked.filter(({ slot, position }) => position <= headOf(slot)).map(({ epoch: _, ...record }) => record),
    },
    erased: [...(await recordedErasures({ store })).accounts],
  };
}

/** Returns the slot in which a store does not continue a backup: it ends before the backup does, or differs there. */
export async function findDifference(
  { feed }: Pick<LogAdapters, 'feed'>,
  { heads }: Pick<Manifest, 'heads'>,
): Promise<number | undefined> {
  for (const { slot, position, command } of heads) {
    const [last] = await feed.readFeed(slot, position - 1, 1);
    if (!last || hashOf(last.command.id) !== command) return slot;
  }
  return undefined;
}
