/** Runs tasks of one key one after another, those of different keys side by side. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, number>();

  /** How many tasks of the key run or wait. */
  size(key: string): number {
    return this.#waiting.get(key) ?? 0;
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key);
    this.#waiting.set(key, this.size(key) + 1);
    const result = before ? before.then(task, task) : task();
    this.#tails.set(key, result);
    try {
      return await result;
    } finally {
      const left = this.size(key) - 1;
      if (left > 0) this.#waiting.set(key, left);
      else {
        this.#waiting.delete(key);
        this.#tails.delete(key);
      }
    }
  }
}
