/** Collects the slots to read in the next poll: those with known news, all of them if the slot is unknown, and all at an interval. */
export class SlotsToRead {
  readonly #slots = new Set<number>();
  #allReadAt = -Infinity;

  /** `interval`: the longest time between two polls of all slots, in milliseconds. */
  constructor(private readonly interval: number) {}

  /** Adds a slot that has news, or all slots if it is unknown which one. */
  add(slot?: number): void {
    if (slot === undefined) this.#allReadAt = -Infinity;
    else this.#slots.add(slot);
  }

  /** Returns the slots to read now and forgets them; undefined means all. */
  take(now: number): ReadonlySet<number> | undefined {
    const slots = new Set(this.#slots);
    this.#slots.clear();
    if (slots.size > 0 && now - this.#allReadAt < this.interval) return slots;
    this.#allReadAt = now;
    return undefined;
  }
}
