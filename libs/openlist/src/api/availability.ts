import { BackOff } from '@keyfold/concurrency';
import { reasonOf } from '@keyfold/reporting';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoginsLocked, OpenListForeign, OpenListUnavailable } from './openlist.errors.js';

/** Milliseconds between two questions to an unavailable server, doubled up to the longest. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1_000;
/** Milliseconds for which an answer shows that the server is available. */
const RECENT = 2_000;
/** Milliseconds. OpenList locks an address for five minutes after five wrong logins, and each further attempt extends that. */
const LOCK = 300_000;
/** Locked addresses that a process knows. */
const KNOWN_LOCKS = 10_000;
const LOCKED_PROBLEM = 'OpenList refuses logins from an address after failed ones (429)';

/** Whether OpenList answers, as its callers report. While it does not, it is asked once a second. */
export class Availability {
  #problem: string | undefined;
  #isSilent = false;
  /** Whether the API answers at the address. Undefined until a request has shown it. */
  #isOpenList: boolean | undefined;
  #answeredAt = -Infinity;
  #lockedAt = -Infinity;
  /** Addresses from which OpenList refuses logins. */
  readonly #locked = new LRUCache<string, true>({ max: KNOWN_LOCKS });
  #isAsking = false;
  readonly #closed = new AbortController();
  /** Called for each login that OpenList refused because of earlier wrong ones. */
  onLocked: () => void = () => undefined;
  readonly #listeners = new Set<(isAvailable: boolean) => void>();

  /** `ask` reports its own outcome, and rejects while OpenList does not answer. */
  constructor(private readonly ask: () => Promise<unknown>) {}

  /** True until a request has failed. */
  get isAvailable(): boolean {
    return this.#problem === undefined;
  }

  /** Why the last request failed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Refuses a request that would wait in vain, because an earlier one got no answer in time, or that something other than OpenList would answer. A refused
   * connection costs nothing.
   *
   * @throws OpenListUnavailable
   */
  requireAnswers(): void {
    if (this.#isSilent || this.#isOpenList === false)
      throw new OpenListUnavailable(this.#problem ?? 'OpenList does not answer');
  }

  /** Refuses the request of a client, as `requireAnswers` does, and also until the API has answered: something else may be there. */
  requireOpenList(): void {
    this.requireAnswers();
    if (!this.#isOpenList) throw new OpenListUnavailable(this.#problem ?? 'OpenList has not answered yet');
  }

  /** Returns why OpenList is unavailable, or a recent lock. Asks OpenList unless it has answered within the last seconds. */
  async check(): Promise<string | undefined> {
    const isRecent = performance.now() - this.#answeredAt < RECENT;
    if (this.isAvailable && !isRecent) await this.ask().catch(() => undefined);
    return this.#problem ?? (performance.now() - this.#lockedAt < LOCK ? LOCKED_PROBLEM : undefined);
  }

  isLocked(address: string): boolean {
    return this.#locked.has(address);
  }

  /** Reports that OpenList refuses all logins from an address, which then counts as locked for some milliseconds. Returns the error. */
  locked(address: string, ttl = LOCK): LoginsLocked {
    this.#lockedAt = performance.now();
    this.#locked.set(address, true, { ttl });
    this.onLocked();
    return new LoginsLocked(LOCKED_PROBLEM);
  }

  /** Calls `listener` at each change. Returns a function that removes it. */
  onChange(listener: (isAvailable: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reports that the API has answered. */
  apiAnswered(): void {
    this.#isOpenList = true;
    this.answered();
  }

  /** Reports that a request was answered, which something other than OpenList does as well. */
  answered(): void {
    if (!this.#isOpenList) return;
    this.#answeredAt = performance.now();
    this.#isSilent = false;
    this.#become(undefined);
  }

  /** Reports that a request got no answer. */
  failed(error: OpenListUnavailable): void {
    this.#isSilent ||= isTimeout(error);
    if (error instanceof OpenListForeign) this.#isOpenList = false;
    this.#become(reasonOf(error));
    void this.#askUntilAvailable();
  }

  close(): void {
    this.#closed.abort();
  }

  #become(problem: string | undefined): void {
    const wasAvailable = this.isAvailable;
    this.#problem = problem;
    if (this.isAvailable === wasAvailable || this.#closed.signal.aborted) return;
    for (const listener of this.#listeners) listener(this.isAvailable);
  }

  async #askUntilAvailable(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { signal } = this.#closed;
    const pauses = new BackOff(FIRST_PAUSE, LONGEST_PAUSE);
    do {
      await sleep(pauses.next(), undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.ask().catch(() => undefined);
    } while (!this.isAvailable && !signal.aborted);
    this.#isAsking = false;
  }
}

/** Milliseconds for which a mirror does not log in. Several threads and processes must not extend the lock for each other. */
export const mirrorPause = () => LOCK * (2 + 2 * Math.random());

/** Returns whether OpenList accepted the request, or the connection, and did not answer in time. */
function isTimeout({ cause }: Error): boolean {
  const code = (cause as { code?: string } | undefined)?.code ?? '';
  return code.startsWith('UND_ERR_') && code.endsWith('_TIMEOUT');
}
