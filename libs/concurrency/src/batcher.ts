import { setImmediate } from 'node:timers/promises';

/** Maximum number of iterations of the event loop that a batch waits, so that steady traffic cannot hold it back. */
const MAX_ITERATIONS = 4;

/** One caller's part of a batch; each is settled separately. */
export type Call<Item, Result> = Readonly<{
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}>;

/** Settles the calls of one batch. Returns the calls to send again: they go first in the next batch. */
export type RunBatch<Item, Result> = (
  calls: readonly Call<Item, Result>[],
) => Promise<readonly Call<Item, Result>[] | void>;

/**
 * Lets concurrent callers share round trips: while one is in flight, calls queue up, and the next one takes up to `limit` of them. It
 * starts when an iteration of the event loop brings no further call. There is no timer, so a single caller never waits for others. If a round
 * trip throws, the calls that it left open are rejected with its error. If `isOutage` holds for that error, queued calls are rejected as
 * well: they would fail one batch after another.
 */
export class Batcher<Item, Result> {
  #waiting: Call<Item, Result>[] = [];
  #running: Promise<void> | undefined;

  constructor(
    private readonly run: RunBatch<Item, Result>,
    private readonly limit: number,
    private readonly isOutage: (error: unknown) => boolean,
  ) {}

  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#runAll();
    });
  }

  /** Resolves when no call is queued or in flight. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      const calls = this.#waiting.splice(0, this.limit);
      try {
        const again = await this.run(calls);
        if (again) this.#waiting.unshift(...again);
      } catch (error) {
        const waiting = this.isOutage(error) ? this.#waiting.splice(0) : [];
        for (const { reject } of [...calls, ...waiting]) reject(error);
      }
    }
    this.#running = undefined;
  }

  /** Waits while iterations bring further calls: a busy process then needs fewer round trips, which cost both sides CPU time. */
  async #gather(): Promise<void> {
    let known = 0;
    for (
      let iterations = 0;
      iterations < MAX_ITERATIONS && known < this.#waiting.length && known < this.limit;
      iterations++
    ) {
      known = this.#waiting.length;
      await setImmediate();
    }
  }
}
