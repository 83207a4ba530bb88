import type { mongo } from 'mongoose';
import { feedKeyOf, positionOfKey, slotOfKey, SLOTS, type CommitDocument } from '../commit.model.js';
import { reaching } from '../mongo-connection.js';

export const ALL_SLOTS: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot);
/**
 * Commits of this process at unknown positions, and milliseconds, after which lower bounds are read again. The server reads every commit
 * beyond a lower bound, which takes it 2 us.
 */
const MOST_UNSEEN = 128;
const LONGEST_AGE = 10_000;

/**
 * Caches the last positions of the slots, from acknowledged commits of this process or from majority reads. No failover rolls these back,
 * so a commit stored right behind such a head leaves no hole.
 */
export class SlotHeads {
  readonly #heads = new Map<number, number>();
  /** Slots to which only this process seems to append. */
  readonly #sure = new Set<number>();
  #unseen = 0;
  #readAt = -Infinity;

  constructor(private readonly commits: mongo.Collection<CommitDocument>) {}

  /** Returns the heads of the slots; reads unknown ones in one round trip. The result is a copy: call `reached` after an append. */
  async of(slots: readonly number[]): Promise<Map<number, number>> {
    const unknown = [...new Set(slots)].filter((slot) => !this.#sure.has(slot));
    if (unknown.length > 0) await this.#read(unknown);
    return this.#of(slots);
  }

  /** Returns lower bounds for the heads of the slots; no failover rolls them back. Sometimes takes a round trip. */
  async atLeast(slots: readonly number[]): Promise<Map<number, number>> {
    if (this.#unseen > MOST_UNSEEN || performance.now() - this.#readAt > LONGEST_AGE) {
      await this.#read(ALL_SLOTS);
      this.#unseen = 0;
      this.#readAt = performance.now();
    }
    return this.#of(slots);
  }

  /** Call after appends whose positions are unknown. */
  passed(commits: number): void {
    this.#unseen += commits;
    this.forget();
  }

  reached(key: number): void {
    const slot = slotOfKey(key);
    this.#heads.set(slot, Math.max(this.#heads.get(slot) ?? 0, positionOfKey(key)));
  }

  /** Call if other processes append too, or an outcome is unknown: the heads are then read again when needed. */
  forget(): void {
    this.#sure.clear();
  }

  #of(slots: readonly number[]): Map<number, number> {
    return new Map(slots.map((slot) => [slot, this.#heads.get(slot) ?? 0]));
  }

  async #read(slots: readonly number[]): Promise<void> {
    for (const [slot, position] of await readLastPositions(this.commits, slots)) {
      this.#heads.set(slot, position);
      this.#sure.add(slot);
    }
  }
}

/** Returns the last position of each slot, 0 if it is empty. One round trip. */
export async function readLastPositions(
  commits: mongo.Collection<CommitDocument>,
  slots: readonly number[],
  options?: mongo.AggregateOptions,
): Promise<Map<number, number>> {
  const [first, ...others] = slots.map(lastKeyOf);
  const pipeline = [
    ...first!,
    ...others.map((stages) => ({ $unionWith: { coll: commits.collectionName, pipeline: stages } })),
  ];
  const found = await reaching(() => commits.aggregate<{ _id: number }>(pipeline, options).toArray());
  const positions = new Map(slots.map((slot) => [slot, 0]));
  for (const { _id: key } of found) positions.set(slotOfKey(key), positionOfKey(key));
  return positions;
}

const lastKeyOf = (slot: number) => [
  { $match: { _id: { $gt: feedKeyOf(slot, 0), $lt: feedKeyOf(slot + 1, 0) } } },
  { $sort: { _id: -1 } },
  { $limit: 1 },
  { $project: { _id: 1 } },
];
