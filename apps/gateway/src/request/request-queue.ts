import { KeyedQueue } from '@keyfold/concurrency';
import { Fault } from '@keyfold/http-envelope';

/** Maximum number of requests of a key that wait. */
export const MAX_WAITING = 16;

/** Runs expensive requests of a thread one after the other for each key, and some of different keys in parallel. `what` names them in the plural. */
export class RequestQueue {
  readonly #keys = new KeyedQueue();
  readonly #all: KeyedQueue;

  constructor(
    private readonly what: string,
    concurrency = 1,
  ) {
    this.#all = new KeyedQueue(concurrency);
  }

  /** @throws Fault 503 if too many requests of the key wait. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    if (this.#keys.size(key) > MAX_WAITING)
      throw new Fault(503, `too many ${this.what} are waiting`, { retryAfterSeconds: 1 });
    // A key takes at most one place in the common queue, so it cannot keep the others waiting for long.
    return this.#keys.run(key, () => this.#all.run('', task));
  }
}
