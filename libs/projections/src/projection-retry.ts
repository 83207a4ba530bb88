import { setTimeout as sleep } from 'node:timers/promises';
import type { Projection } from './projection.js';
import type { StreamRef } from './stream-ref.js';

/** Milliseconds before a retry; doubled after each failure, up to the longest. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** Streams that wait at most; of an append without an answer nobody knows whether it was stored, so its stream waits as well. */
const MAX_WAITING = 10_000;
/** Streams that are projected at the same time. */
const BATCH = 200;
/** A write whose answer was lost may still be carried out just after the first success. */
const SUCCESSES = 2;

type Waiting = { readonly ref: StreamRef<unknown>; successes: number };

/**
 * Retries projections that failed after their commit, with back-off, so that a process without a projector (a gateway) keeps its lists
 * right. Streams wait in memory, each of them once: those of a process that crashes are left to a projector.
 */
export class ProjectionRetry {
  readonly #waiting = new Map<string, Waiting>();
  readonly #stopping = new AbortController();
  #working = Promise.resolve();
  #isWorking = false;
  #refused = 0;

  /** `onRecovered` is called when no stream waits any more, with how many could not wait, whose entries may still be behind. */
  constructor(
    private readonly projection: Pick<Projection, 'project'>,
    private readonly onRecovered: (refused: number) => void,
    private readonly firstPause = FIRST_PAUSE,
    private readonly maxWaiting = MAX_WAITING,
  ) {}

  /** Projects the stream until that succeeds or parks it. Returns false if too many streams wait already, or after `stop`. */
  add(ref: StreamRef<unknown>): boolean {
    const isFull = this.#waiting.size >= this.maxWaiting && !this.#waiting.has(ref.stream);
    if (isFull || this.#stopping.signal.aborted) {
      this.#refused += 1;
      return false;
    }
    this.#waiting.set(ref.stream, { ref, successes: 0 });
    if (!this.#isWorking) this.#working = this.#work();
    return true;
  }

  /** Retries once more, then ends. Resolves to the number of streams whose projection still fails. */
  async stop(): Promise<number> {
    this.#stopping.abort();
    await this.#working;
    return [...this.#waiting.values()].filter(({ successes }) => successes === 0).length;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    let pause = this.firstPause;
    while (this.#waiting.size > 0 && !this.#stopping.signal.aborted) {
      await sleep(pause, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
      pause = (await this.#retryAll()) ? this.firstPause : Math.min(2 * pause, LONGEST_PAUSE);
    }
    this.#isWorking = false;
    if (this.#waiting.size > 0) return;
    this.onRecovered(this.#refused);
    this.#refused = 0;
  }

  /** Resolves to whether all succeeded. Ends at the first batch that fails: the store is away. */
  async #retryAll(): Promise<boolean> {
    const waiting = [...this.#waiting.values()];
    for (let from = 0; from < waiting.length; from += BATCH) {
      const outcomes = await Promise.allSettled(waiting.slice(from, from + BATCH).map((each) => this.#retry(each)));
      if (outcomes.some(({ status }) => status === 'rejected')) return false;
    }
    return true;
  }

  async #retry(waiting: Waiting): Promise<void> {
    const { ref } = waiting;
    const outcome = await this.projection.project(ref);
    waiting.successes += 1;
    const isDone = outcome === 'parked' || waiting.successes === SUCCESSES;
    // Added again meanwhile, it waits for a projection that began later.
    if (isDone && this.#waiting.get(ref.stream) === waiting) this.#waiting.delete(ref.stream);
  }
}
