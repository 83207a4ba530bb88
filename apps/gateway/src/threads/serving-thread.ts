import { waitAtMost } from '@keyfold/concurrency';
import type { Sample } from '@keyfold/process';
import type { BirpcReturn } from 'birpc';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, type Transferable } from 'node:worker_threads';
import { linkThreads, type OwnerCalls, type ThreadCalls, type ThreadData } from './thread-calls.js';
import { ThreadRequests, type ProcessServices } from './thread-requests.js';

/** How often the owner checks that a thread responds, and after how long a thread that does not is ended (milliseconds). */
const CHECK_INTERVAL = 5_000;
const HUNG = 20_000;
/** How long a scrape of the metrics waits for a thread; then it gets the last known values (milliseconds). */
const SAMPLES_TIMEOUT = 1_000;
/** How long a thread may take to close before it is ended; clients have 6 seconds of it (milliseconds). */
const CLOSE_TIMEOUT = 8_000;

/** Returns the module that the next thread runs, and what it receives, with its part of the store. */
export type NextThread = () => Readonly<{ entry: URL; data: ThreadData; transfer: readonly Transferable[] }>;

/** One serving thread, as the owner sees it. */
export class ServingThread {
  readonly #worker: Worker;
  readonly #calls: BirpcReturn<ThreadCalls, OwnerCalls>;
  /** Resolves when the thread has ended, to the reason. */
  readonly stopped: Promise<Error>;
  /** Whether the thread accepts connections. */
  serves = false;
  /** The last known share of the thread in the metrics of the process. */
  lastSamples: readonly Sample[] = [];
  #reason = new Error('the thread ended');
  #hasStopped = false;

  constructor({ entry, data, transfer }: ReturnType<NextThread>, services: ProcessServices) {
    this.#worker = new Worker(entry, { workerData: data, transferList: [...transfer] });
    const requests = new ThreadRequests(services);
    this.#calls = linkThreads<ThreadCalls, OwnerCalls>(requests, this.#worker);
    this.#worker.once('error', (error: unknown) => (this.#reason = asError(error)));
    this.stopped = new Promise((stopped) =>
      this.#worker.once('exit', () => {
        this.serves = false;
        this.#hasStopped = true;
        requests.end();
        stopped(this.#reason);
        this.#calls.$close();
      }),
    );
    void this.#watch();
  }

  /** Rejects if the thread cannot serve. It then ends. */
  async listen(port: number): Promise<void> {
    try {
      await this.#calls.listen(port);
      this.serves = true;
    } catch (error) {
      // The call also fails if the thread stops by itself, for its own reason.
      const reason = this.#hasStopped ? this.#reason : error;
      await this.#worker.terminate();
      throw reason;
    }
  }

  /** Returns the current share of the thread in the metrics, or the last known one if it does not respond in time. */
  async samples(): Promise<readonly Sample[]> {
    await waitAtMost(SAMPLES_TIMEOUT, this.#readSamples());
    return this.lastSamples;
  }

  /** Resolves when the thread has ended. A thread that does not close in time is ended. */
  async close(drains: boolean): Promise<void> {
    this.#calls.close(drains).catch(() => undefined);
    await waitAtMost(CLOSE_TIMEOUT, this.stopped);
    if (!this.#hasStopped) await this.#worker.terminate();
    await this.stopped;
  }

  async #readSamples(): Promise<void> {
    this.lastSamples = await this.#calls.samples();
  }

  /** Ends the thread if its event loop hangs, because its connections and its tickets in queues would hang as well. */
  async #watch(): Promise<void> {
    while (!this.#hasStopped) {
      await sleep(CHECK_INTERVAL, undefined, { ref: false });
      let responds = false;
      await waitAtMost(
        HUNG,
        // An error is a response, too.
        this.#readSamples().finally(() => (responds = true)),
      );
      if (responds || this.#hasStopped) continue;
      this.#reason = new Error(`the thread did not respond for ${HUNG / 1_000} seconds`);
      await this.#worker.terminate();
    }
  }
}

const asError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));
