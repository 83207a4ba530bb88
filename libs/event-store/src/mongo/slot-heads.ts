import type { mongo } from 'mongoose';
import { ordinalOfPlace, slotOfPlace, type CommitDocument } from './commit.model.js';
import { readLastOrdinals } from './last-ordinals.js';

/**
 * The last ordinals of the slots, as far as this process knows them: from its own acknowledged commits, else from a majority read. So
 * whatever is stored behind such a head has everything before it in every future of the replica set, and the feed gets no holes.
 */
export class SlotHeads {
  readonly #heads = new Map<number, number>();
  /** Slots to which nobody else is believed to append. */
  readonly #sure = new Set<number>();

  constructor(private readonly commits: mongo.Collection<CommitDocument>) {}

  /** The heads of the slots; those that are unknown are read in one round trip. A copy: `reached` says what became of it. */
  of(slots: Iterable<number>): Promise<Map<number, number>> {
    return this.#known(slots, this.#sure);
  }

  /** Ordinals that the slots have reached or gone beyond, for good: no change of the primary takes them back. */
  atLeast(slots: Iterable<number>): Promise<Map<number, number>> {
    return this.#known(slots, this.#heads);
  }

  /** An acknowledged commit is at this place. */
  reached(place: number): void {
    const slot = slotOfPlace(place);
    this.#heads.set(slot, Math.max(this.#heads.get(slot) ?? 0, ordinalOfPlace(place)));
  }

  /** Other processes append too, or nobody knows what became of an append: the heads are read again when they are needed. */
  forget(): void {
    this.#sure.clear();
  }

  async #known(slots: Iterable<number>, known: Readonly<{ has(slot: number): boolean }>): Promise<Map<number, number>> {
    const wanted = [...new Set(slots)];
    const unknown = wanted.filter((slot) => !known.has(slot));
    if (unknown.length > 0) await this.#read(unknown);
    return new Map(wanted.map((slot) => [slot, this.#heads.get(slot) ?? 0]));
  }

  async #read(slots: readonly number[]): Promise<void> {
    for (const [slot, ordinal] of await readLastOrdinals(this.commits, slots)) {
      this.#heads.set(slot, ordinal);
      this.#sure.add(slot);
    }
  }
}
