import { BackOff } from '@keyfold/concurrency';
import type { NewCommit } from '@keyfold/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamRef } from '../loading/stream-ref.js';
import { isListed, readModelOf } from '../read-model.js';
import type { Projection } from './projection.js';

/** Called when the list entry of a stream may lack a stored commit. `correlation` is the id of the request that stored it. */
export type OnListBehind = (ref: StreamRef<unknown>, error: unknown, correlation: string) => void;

/**
 * Updates list entries in the process that appends, so that a client finds its change in the next list. Streams without a list are
 * left to the projector: everything else is folded from the commits.
 */
export class ListUpdates {
  constructor(
    private readonly projection: Pick<Projection, 'project'>,
    private readonly onBehind: OnListBehind,
  ) {}

  /**
   * Writes the list entry of a stream after an append of this commit, which need not be read again. Never rejects: the commit is stored,
   * whatever becomes of the entry.
   */
  async appended(ref: StreamRef<unknown>, commit: NewCommit, correlation: string): Promise<void> {
    if (!isListed(readModelOf(ref))) return;
    await this.projection.project(ref, [commit]).catch((error: unknown) => this.onBehind(ref, error, correlation));
  }

  /** Reports an append with an unknown outcome: its commit may be stored without its list entry. */
  unknown(ref: StreamRef<unknown>, error: unknown, correlation: string): void {
    if (isListed(readModelOf(ref))) this.onBehind(ref, error, correlation);
  }
}

/** Pauses between retries, in milliseconds (`BackOff`). */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** Maximum number of streams that wait. After an append with an unknown outcome its stream waits too. */
const MAX_WAITING = 10_000;
/** Number of streams projected at the same time. */
const BATCH = 200;
/** A write with a lost answer may still be carried out just after the first success, so each stream is projected twice. */
const SUCCESSES = 2;

type Waiting = { readonly ref: StreamRef<unknown>; successes: number };

/**
 * Retries projections that failed after an append, with back-off, so that lists are correct even without a projector in the process (as
 * in a gateway). Streams wait in memory; after a crash a projector updates them.
 */
export class ProjectionRetry {
  readonly #waiting = new Map<string, Waiting>();
  readonly #stopping = new AbortController();
  #working = Promise.resolve();
  #isWorking = false;
  #refused = 0;

  /**
   * `onRecovered` is called when no stream waits any more, with the number of streams that were refused and may still be behind. Tests set
   * the last two, in order not to wait and to reach the limit.
   */
  constructor(
    private readonly projection: Pick<Projection, 'project'>,
    private readonly onRecovered: (refused: number) => void,
    private readonly firstPause = FIRST_PAUSE,
    private readonly maxWaiting = MAX_WAITING,
  ) {}

  /** Retries until the stream is projected or parked. Returns false if too many streams wait already, or after `stop`. */
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

  /** Makes a last attempt, then stops. Resolves to the number of streams whose projection still fails. */
  async stop(): Promise<number> {
    this.#stopping.abort();
    await this.#working;
    return [...this.#waiting.values()].filter(({ successes }) => successes === 0).length;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    const backOff = new BackOff(this.firstPause, LONGEST_PAUSE);
    while (this.#waiting.size > 0 && !this.#stopping.signal.aborted) {
      await sleep(backOff.next(), undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
      if (await this.#retryAll()) backOff.reset();
    }
    this.#isWorking = false;
    if (this.#waiting.size > 0) return;
    this.onRecovered(this.#refused);
    this.#refused = 0;
  }

  /** Resolves to whether all succeeded. Stops at the first failed batch, because the store is down. */
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
    // If it was added again in the meantime, it needs a projection that starts after that.
    if (isDone && this.#waiting.get(ref.stream) === waiting) this.#waiting.delete(ref.stream);
  }
}
