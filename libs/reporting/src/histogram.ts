/** Counts values in buckets, for metrics. It keeps plain numbers only, so that it is cheap enough for every request. */
export class Histogram {
  /** Number of values in each bucket; the last one holds the values above all bounds. */
  readonly counts: number[];
  sum = 0;

  /** `bounds` are inclusive upper bounds in ascending order. */
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
