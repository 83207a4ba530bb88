/**
 * Counts values by their size, for whoever watches the process. Plain numbers and nothing else, so that it can be fed with every request.
 */
export class Histogram {
  /** How many values each bound holds that the one before it does not; the last number has those beyond all bounds. */
  readonly counts: number[];
  sum = 0;

  /** `bounds` ascend; a value belongs to the first that is not less than it. */
  constructor(readonly bounds: readonly number[]) {
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > bounds[index]!) index += 1;
    counts[index]! += 1;
    this.sum += value;
  }
}
