/** Computes the pauses between retries: `first`, then twice as long after each failure, up to `longest`. In milliseconds. */
export class BackOff {
  #failures = 0;

  constructor(
    private readonly first: number,
    private readonly longest: number,
  ) {}

  /** Returns the pause before the next attempt and doubles the one after it. */
  next(): number {
    return Math.min(this.longest, this.first * 2 ** this.#failures++);
  }

  /** Starts over, after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
