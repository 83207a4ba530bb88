/** Which slots are to be looked at next: those that rang, or all when nobody knows which, and all once in a while. */
export class RungSlots {
  readonly #rung = new Set<number>();
  #lookedAtAll = -Infinity;

  /** `interval`: the longest time between two looks at all slots, in milliseconds. */
  constructor(private readonly interval: number) {}

  /** Something was appended to a slot, or nobody knows to which. */
  ring(slot?: number): void {
    if (slot === undefined) this.#lookedAtAll = -Infinity;
    else this.#rung.add(slot);
  }

  /** The slots of the next look, once; undefined is all. */
  take(now: number): ReadonlySet<number> | undefined {
    const rung = new Set(this.#rung);
    this.#rung.clear();
    if (rung.size > 0 && now - this.#lookedAtAll < this.interval) return rung;
    this.#lookedAtAll = now;
    return undefined;
  }
}
