import { BackOff, unlessAborted } from '@keyfold/concurrency';
import { addUp, metricDefinitions, type Sample } from '@keyfold/process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServingThread, type NextThread } from './serving-thread.js';
import type { ProcessServices } from './thread-requests.js';

/** Milliseconds before a stopped thread is replaced, doubled while replacements fail or stop within a minute. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;
const STABLE = 60_000;

/** Reports that a thread stopped by itself and is being replaced. */
type OnStopped = (reason: Error) => void;

/** The threads that serve the API beside the owner of the process. A thread that stops by itself is replaced. */
export class ServingThreads {
  readonly #threads = new Set<ServingThread>();
  readonly #started: readonly ServingThread[];
  readonly #backOff = new BackOff(FIRST_PAUSE, LONGEST_PAUSE);
  /** The counts of threads that have stopped, so that no counter of the process decreases. */
  #retired: readonly Sample[] = [];
  #closing: Promise<unknown> | undefined;

  /** Starts the threads. They serve once `listen` is called. */
  constructor(
    count: number,
    private readonly next: NextThread,
    private readonly services: ProcessServices,
    private readonly onStopped: OnStopped,
  ) {
    this.#started = Array.from({ length: count }, () => this.#start());
  }

  get serving(): number {
    return [...this.#threads].filter(({ serves }) => serves).length;
  }

  /** Lets all threads serve on the port. Rejects if one of them cannot, or when `stopping` aborts. */
  async listen(port: number, stopping: AbortSignal): Promise<void> {
    const serving = Promise.all(this.#started.map((thread) => this.#serve(thread, port)));
    await unlessAborted(stopping, serving);
  }

  /** Returns the shares of all threads in the metrics of the process, also of those that have stopped. */
  async samples(): Promise<readonly Sample[]> {
    const samples = await Promise.all([...this.#threads].map((thread) => thread.samples()));
    return [...this.#retired, ...samples.flat()];
  }

  /** Closes all threads. Resolves when they have ended. `drains`: clients have time to disconnect, so that no request is lost. */
  async close(drains: boolean): Promise<void> {
    await (this.#closing ??= Promise.all([...this.#threads].map((thread) => thread.close(drains))));
  }

  #start(): ServingThread {
    const thread = new ServingThread(this.next(), this.services);
    this.#threads.add(thread);
    void thread.stopped.then(() => {
      this.#threads.delete(thread);
      const counts = thread.lastSamples.filter(({ name }) => metricDefinitions[name].type !== 'gauge');
      this.#retired = addUp([...this.#retired, ...counts]);
    });
    return thread;
  }

  async #serve(thread: ServingThread, port: number): Promise<void> {
    await thread.listen(port);
    const since = performance.now();
    void thread.stopped.then((reason) => {
      if (performance.now() - since > STABLE) this.#backOff.reset();
      if (!this.#closing) void this.#replace(reason, port);
    });
  }

  async #replace(reason: Error, port: number): Promise<void> {
    this.onStopped(reason);
    while (!this.#closing) {
      await sleep(this.#backOff.next(), undefined, { ref: false });
      if (this.#closing) return;
      try {
        return await this.#serve(this.#start(), port);
      } catch (error) {
        if (!this.#closing) this.onStopped(error as Error);
      }
    }
  }
}
