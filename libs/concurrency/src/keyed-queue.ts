type Queue = { running: number; readonly waiting: (() => void)[] };

/** Runs tasks with the same key in order, at most `concurrency` at a time. Tasks with different keys run in parallel. */
export class KeyedQueue {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly concurrency = 1) {}

  /** Returns the number of running and waiting tasks of the key. */
  size(key: string): number {
    const queue = this.#queues.get(key);
    return queue ? queue.running + queue.waiting.length : 0;
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queueOf(key);
    if (queue.running < this.concurrency) queue.running += 1;
    else await new Promise<void>((start) => queue.waiting.push(start));
    try {
      return await task();
    } finally {
      this.#leave(key, queue);
    }
  }

  #queueOf(key: string): Queue {
    let queue = this.#queues.get(key);
    if (!queue) this.#queues.set(key, (queue = { running: 0, waiting: [] }));
    return queue;
  }

  /** Starts the next waiting task in place of the finished one, or deletes the queue if it is empty. */
  #leave(key: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next) return next();
    queue.running -= 1;
    if (queue.running === 0) this.#queues.delete(key);
  }
}
