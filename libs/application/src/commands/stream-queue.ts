import { KeyedQueue } from '@keyfold/concurrency';

/** Runs the commands of a stream one at a time, in all threads of a process, so that they do not conflict with each other. */
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
