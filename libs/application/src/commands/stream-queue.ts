import { KeyedQueue } from '@keyfold/concurrency';

/**
 * Runs the commands of a stream one at a time, in all threads of a process: waiting is cheaper than conflicts and random pauses. Deciding on
 * commits that are still being written would be faster, but if one failed, every decision based on it would have to fail too. The queue only
 * saves work: the store itself refuses a version that was already written.
 */
export abstract class StreamQueue {
  abstract run<Result>(stream: string, command: () => Promise<Result>): Promise<Result>;
}

/** The queues in the memory of one thread. */
export class InMemoryStreamQueue extends StreamQueue {
  readonly #queue = new KeyedQueue();

  run<Result>(stream: string, command: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(stream, command);
  }
}
