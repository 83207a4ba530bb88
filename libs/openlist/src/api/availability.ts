import { BackOff } from '@keyfold/concurrency';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two questions to an unavailable server, doubled up to the longest. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1_000;

/** Whether a server answers, as its callers report. While it does not, it is asked once a second. */
export class Availability {
  #isAvailable = true;
  #isSilent = false;
  #isAsking = false;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<(isAvailable: boolean) => void>();

  /** `ask` rejects while the server does not answer. */
  constructor(private readonly ask: () => Promise<void>) {}

  /** True until a request has failed. */
  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /** Whether the last request got no answer in time, so that another one would wait in vain. A refused connection costs nothing. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Calls `listener` at each change. Returns a function that removes it. */
  onChange(listener: (isAvailable: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reports whether a request was answered. `isSilent`: it timed out. */
  report(isAvailable: boolean, isSilent = false): void {
    this.#isSilent = !isAvailable && (isSilent || this.#isSilent);
    if (!isAvailable) void this.#askUntilAvailable();
    if (isAvailable === this.#isAvailable || this.#closed.signal.aborted) return;
    this.#isAvailable = isAvailable;
    for (const listener of this.#listeners) listener(isAvailable);
  }

  close(): void {
    this.#closed.abort();
  }

  async #askUntilAvailable(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { signal } = this.#closed;
    const pauses = new BackOff(FIRST_PAUSE, LONGEST_PAUSE);
    do {
      await sleep(pauses.next(), undefined, { signal, ref: false }).catch(() => undefined);
      // It reports its own outcome.
      if (!signal.aborted) await this.ask().catch(() => undefined);
    } while (!this.#isAvailable && !signal.aborted);
    this.#isAsking = false;
  }
}
