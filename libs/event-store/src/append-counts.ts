import type { NewCommit } from './commit.js';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from './event-store.errors.js';
import { Histogram } from './histogram.js';

/** Seconds. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Both stores put at most 256 commits into a batch. */
const BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** What became of the appends of this process since it started, for whoever watches it. */
export class AppendCounts {
  /** Events that were stored, by type. */
  readonly events = new Map<string, number>();
  /** Appends that were refused because another commit of their stream was quicker. */
  conflicts = 0;
  /** Appends that failed, so that nobody knows whether anything was stored. What the store refuses for a reason is none. */
  failures = 0;
  /** Commits that travelled to the store together. */
  readonly batches = new Histogram(BATCHES);
  /** Seconds from the call to its answer, whatever that is. */
  readonly durations = new Histogram(DURATIONS);

  /** Counts one append, and answers what it came to. */
  async measure<Appended extends Readonly<{ outcome: 'appended' | 'replayed' }>>(
    { events }: NewCommit,
    append: () => Promise<Appended>,
  ): Promise<Appended> {
    const start = performance.now();
    try {
      const appended = await append();
      if (appended.outcome === 'appended') {
        for (const { type } of events) this.events.set(type, (this.events.get(type) ?? 0) + 1);
      }
      return appended;
    } catch (error) {
      if (error instanceof WrongExpectedVersion) this.conflicts += 1;
      else if (!(error instanceof HoldTaken || error instanceof CommandIdReused)) this.failures += 1;
      throw error;
    } finally {
      this.durations.observe((performance.now() - start) / 1_000);
    }
  }
}
