import type { mongo } from 'mongoose';
import { ordinalOfPlace, slotOfPlace, type CommitDocument } from './commit.model.js';
import { readLastOrdinals } from './last-ordinals.js';

/**
 * The last ordinals of the slots, as far as this process knows them: from its own acknowledged commits, else from a majority read. So
 * whatever is stored behind such a head has everything before it in every future of the replica set, and the feed gets no holes.
 */
export class SlotHeads {
  readonly #heads = new Map<number, number>();

  constructor(private readonly commits: mongo.Collection<CommitDocument>) {}

  /** The heads of the slots; those that are unknown are read in one round trip. A copy: `reached` says what became of it. */
  async of(slots: Iterable<number>): Promise<Map<number, number>> {
    const wanted = [...new Set(slots)];
    const unknown = wanted.filter((slot) => !this.#heads.has(slot));
    if (unknown.length > 0) await this.#read(unknown);
    return new Map(wanted.map((slot) => [slot, this.#heads.get(slot) ?? 0]));
  }

  /** An acknowledged commit is at this place. */
  reached(place: number): void {
    const slot = slotOfPlace(place);
    const ordinal = ordinalOfPlace(place);
    const known = this.#heads.get(slot);
    // A head that was forgotten meanwhile stays unknown, because others may be ahead.
    if (known !== undefined && known < ordinal) this.#heads.set(slot, ordinal);
  }

  /** Other processes append too, or nobody knows what became of an append: the heads are read again when they are needed. */
  forget(): void {
    this.#heads.clear();
  }

  async #read(slots: readonly number[]): Promise<void> {
    const heads = await readLastOrdinals(this.commits, slots);
    for (const [slot, ordinal] of heads) this.#heads.set(slot, ordinal);
  }
}
