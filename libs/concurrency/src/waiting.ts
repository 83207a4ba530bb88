/** Computes the pauses between retries: `first`, then twice as long after each failure, up to `longest`. In milliseconds. */
export class BackOff {
  #failures = 0;

  constructor(
    private readonly first: number,
    private readonly longest: number,
  ) {}

  /** Returns the pause before the next attempt and doubles the one after it. */
  next(): number {
    return Math.min(this.longest, this.first * 2 ** this.#failures++);
  }

  /** Starts over, after a success. */
  reset(): void {
    this.#failures = 0;
  }
}

/** Settles like `work`, but rejects with the reason of the signal if that aborts first or has aborted. The work itself continues. */
export async function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    // The signal first: work that settles after it would be lost by a process that is ending.
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Waits until `work` settles, but at most this long. Never rejects: a failure of `work` ends the wait as well. */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([work, over]).catch(() => undefined);
  clearTimeout(timer);
}
