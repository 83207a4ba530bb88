import { setImmediate } from 'node:timers/promises';
import { isOutage } from './event-store.errors.js';

/** One caller's part of a batch; it settles alone. */
export type Call<Item, Result> = Readonly<{
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}>;

/**
 * Lets concurrent callers share round trips: while one is under way callers queue, and the next takes all of them, up to `limit`. No
 * timer, so a single caller waits for nobody. `run` settles each call, or answers those that must travel again: they do so before
 * and with who came meanwhile. What it leaves open when it throws fails with its error; an outage fails those who wait with it, who
 * would otherwise find out one batch after another.
 */
export class Batcher<Item, Result> {
  #waiting: Call<Item, Result>[] = [];
  #running: Promise<void> | undefined;

  constructor(
    private readonly run: (calls: readonly Call<Item, Result>[]) => Promise<readonly Call<Item, Result>[] | void>,
    private readonly limit: number,
  ) {}

  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#runAll();
    });
  }

  /** Settles when nobody waits any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    // At the end of the turn, so that requests which arrived together travel together.
    await setImmediate();
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.splice(0, this.limit);
      try {
        const again = await this.run(calls);
        if (again) this.#waiting.unshift(...again);
      } catch (error) {
        const waiting = isOutage(error) ? this.#waiting.splice(0) : [];
        for (const { reject } of [...calls, ...waiting]) reject(error);
      }
    }
    this.#running = undefined;
  }
}
