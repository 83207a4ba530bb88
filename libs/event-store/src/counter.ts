/** Hands out numbers, each at most once; gaps are normal. */
export abstract class Counter {
  /** Reserves `count` consecutive numbers and returns the first. The counter begins at `start`. */
  abstract take(name: string, count: number, start: number): Promise<number>;
}
