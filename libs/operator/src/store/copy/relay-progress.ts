import type { Commit, Lease, SlotProgress } from '@keyfold/event-store';
import { relayName, type ParkedAccount } from '@keyfold/messaging';
import type { StoreAdapters } from '@keyfold/wiring';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Source } from './copied-positions.js';
import { readBatches, type Positions, type SourceCommit } from './source-feed.js';
import { isOfOneStore } from './target-feed.js';

const LEASE_MILLISECONDS = 5_000;
const RETRY_INTERVAL = 500;
const NOT_SENT = 'not sent when the store was copied';

type Copy = Readonly<{ source: Source; target: StoreAdapters; sourceHeads: Positions; targetHeads: Positions }>;
type Place = Readonly<{ slot: number; position: number }>;

/**
 * Lets the relay of the target continue where that of the source stopped, so that it sends nothing twice. Does nothing if no relay ever ran
 * in the source. Both stores have the same commits. Safe to repeat. Throws `StoreUnavailable`.
 */
export async function copyRelayProgress(copy: Copy): Promise<void> {
  const { source, target } = copy;
  const progress = await source.relayLeases.progress(relayName);
  if (progress.length === 0) return;
  const { checkpoints, behind } = await checkpointsFor(copy, progress);
  const leases = await takeLeases(target);
  const epochs = new Map(leases.map(({ slot, epoch }) => [slot, epoch]));
  const park = ({ slot, ...account }: Omit<ParkedAccount, 'epoch'>) =>
    target.parkedRelays.park({ ...account, slot, epoch: epochs.get(slot) ?? 1 });
  // An earlier run may have failed later, and the source has sent these events since.
  for (const stale of await target.parkedRelays.all()) await target.parkedRelays.unpark(stale);
  for (const record of await source.parkedRelays.all()) {
    const [commit] = await source.feed.readFeed(record.slot, record.position - 1, 1);
    const place = commit && (await placeOf(target, commit));
    if (place) await park({ ...record, ...place });
    behind.delete(record.partition);
  }
  for (const [partition, place] of behind) await park({ partition, ...place, error: NOT_SENT, at: Date.now() });
  for (const lease of leases) await target.relayLeases.advance(lease, checkpoints.get(lease.slot) ?? 0);
  await target.relayLeases.release(leases);
}

/** `behind`: the accounts with commits before the checkpoint that were not sent, and the first of these commits. */
type Checkpoints = Readonly<{ checkpoints: Positions; behind: Map<string, Place> }>;

function checkpointsFor(copy: Copy, progress: readonly SlotProgress[]): Promise<Checkpoints> {
  const passed = new Map(progress.map(({ slot, position }) => [slot, position]));
  return copy.source.feed.slots === 1 ? fromOneSlot(copy, passed) : toOneSlot(copy, passed);
}

/** The target keeps the order of the source in each slot: its checkpoints are before the first commits that were not sent. */
async function fromOneSlot(
  { source, target, sourceHeads, targetHeads }: Copy,
  passed: Positions,
): Promise<Checkpoints> {
  const checkpoints = new Map(targetHeads);
  const waiting = new Set(targetHeads.keys());
  for await (const batch of readBatches(source.feed, passed, sourceHeads)) {
    for (const { commit } of batch.filter(canBeSent)) {
      const slot = target.feed.slotOf(commit.partition);
      if (!waiting.delete(slot)) continue;
      const place = await placeOf(target, commit);
      if (place) checkpoints.set(slot, place.position - 1);
    }
    if (waiting.size === 0) break;
  }
  return { checkpoints, behind: new Map() };
}

/** Slots of the source may have come to different times. Accounts that are behind the one that came farthest are parked. */
async function toOneSlot({ source, target, sourceHeads }: Copy, passed: Positions): Promise<Checkpoints> {
  let checkpoint = 0;
  for (const [slot, position] of passed) {
    const last = await lastOfBothUpTo(source, slot, position);
    checkpoint = Math.max(checkpoint, (last && (await placeOf(target, last)))?.position ?? 0);
  }
  const behind = new Map<string, Place>();
  for await (const batch of readBatches(source.feed, passed, sourceHeads)) {
    for (const { commit } of batch.filter(canBeSent)) {
      const place = await placeOf(target, commit);
      if (place && place.position < checkpoint && !behind.has(commit.partition)) behind.set(commit.partition, place);
    }
  }
  return { checkpoints: new Map([[0, checkpoint]]), behind };
}

const canBeSent = ({ commit }: SourceCommit) => commit.events.length > 0;

async function lastOfBothUpTo(source: Source, slot: number, last: number): Promise<Commit | undefined> {
  for (let position = last; position > 0; position--) {
    const [commit] = await source.feed.readFeed(slot, position - 1, 1);
    if (commit && !isOfOneStore(commit)) return commit;
  }
  return undefined;
}

async function placeOf(target: StoreAdapters, { command, partition }: Commit): Promise<Place | undefined> {
  const copied = await target.store.findCommand(command.id);
  return copied && { slot: target.feed.slotOf(partition), position: copied.position };
}

/** Takes the leases of all slots. Those of an interrupted command expire after some seconds. */
async function takeLeases({ relayLeases, feed }: StoreAdapters): Promise<Lease[]> {
  const slots = Array.from({ length: feed.slots }, (_, slot) => slot);
  const owner = randomUUID();
  for (;;) {
    const leases = await relayLeases.take(relayName, owner, slots, LEASE_MILLISECONDS);
    if (leases.length === slots.length) return leases;
    await sleep(RETRY_INTERVAL);
  }
}
