import { BackOff } from '@keyfold/concurrency';
import type { Sample } from '@keyfold/process';
import type { BirpcReturn } from 'birpc';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, type Transferable } from 'node:worker_threads';
import { linkThreads } from './thread-link.js';
import { ThreadRequests, type ProcessServices } from './thread-requests.js';
import type { OwnerCalls, ThreadCalls, ThreadData } from './thread-calls.js';

/** Milliseconds before a stopped thread is replaced, doubled while replacements fail. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;

/** Returns what the next thread receives, with its part of the store. */
export type NextThread = () => Readonly<{ data: ThreadData; transfer: readonly Transferable[] }>;
/** Reports that a thread stopped by itself and is being replaced. */
type OnStopped = (reason: string) => void;

/** The threads that serve the API beside the owner of the process. A thread that stops by itself is replaced. */
export class ServingThreads {
  readonly #threads = new Set<ServingThread>();
  readonly #started: readonly ServingThread[];
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

  /** The number of threads that serve. */
  get serving(): number {
    return this.#threads.size;
  }

  /** Lets all threads serve on the port. Rejects if one of them cannot. */
  async listen(port: number): Promise<void> {
    await Promise.all(this.#started.map((thread) => this.#serve(thread, port)));
  }

  /** Returns the shares of all threads in the metrics of the process. */
  async samples(): Promise<Sample[]> {
    return (await Promise.all([...this.#threads].map(({ calls }) => calls.samples()))).flat();
  }

  /** Closes all threads. Resolves when they have ended. `drains`: clients have time to disconnect, so that no request is lost. */
  async close(drains: boolean): Promise<void> {
    const threads = new Set([...this.#started, ...this.#threads]);
    await (this.#closing ??= Promise.all([...threads].map((thread) => thread.close(drains))));
  }

  #start(): ServingThread {
    const { data, transfer } = this.next();
    return new ServingThread(data, transfer, this.services);
  }

  async #serve(thread: ServingThread, port: number): Promise<void> {
    await thread.listen(port);
    this.#threads.add(thread);
    void thread.stopped.then((reason) => {
      this.#threads.delete(thread);
      if (!this.#closing) void this.#replace(reason, port);
    });
    if (this.#closing) await thread.close(false);
  }

  async #replace(reason: Error, port: number): Promise<void> {
    this.onStopped(reason.message);
    for (const backOff = new BackOff(FIRST_PAUSE, LONGEST_PAUSE); !this.#closing;) {
      await sleep(backOff.next(), undefined, { ref: false });
      try {
        return await this.#serve(this.#start(), port);
      } catch (error) {
        this.onStopped((error as Error).message);
      }
    }
  }
}

class ServingThread {
  readonly #worker: Worker;
  readonly calls: BirpcReturn<ThreadCalls, OwnerCalls>;
  /** Resolves when the thread has ended, to the reason. */
  readonly stopped: Promise<Error>;

  constructor(data: ThreadData, transfer: readonly Transferable[], services: ProcessServices) {
    this.#worker = new Worker(new URL('./serving-thread.js', import.meta.url), {
      workerData: data,
      transferList: [...transfer],
    });
    const requests = new ThreadRequests(services);
    this.calls = linkThreads<ThreadCalls, OwnerCalls>(requests, this.#worker);
    let reason = new Error('it ended');
    this.#worker.once('error', (error) => (reason = error));
    this.stopped = new Promise((stopped) =>
      this.#worker.once('exit', () => {
        requests.end();
        this.calls.$close(reason);
        stopped(reason);
      }),
    );
  }

  /** Rejects if the thread cannot serve. It then ends. */
  async listen(port: number): Promise<void> {
    try {
      await Promise.race([this.calls.listen(port), this.stopped.then((reason) => Promise.reject(reason))]);
    } catch (error) {
      await this.#worker.terminate();
      throw error;
    }
  }

  /** Resolves when the thread has ended. */
  async close(drains: boolean): Promise<void> {
    // The call fails if the thread stops by itself meanwhile.
    await this.calls.close(drains).catch(() => undefined);
    await this.stopped;
  }
}
