import type { NewCommit } from './commit.js';
import { CommandIdReused, HoldTaken, WrongExpectedVersion } from './event-store.errors.js';
import { Histogram } from '@keyfold/reporting';

/** Seconds. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Both adapters send at most 256 commits together. */
const BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Counts the appends of this process since it started, for its metrics. */
export class AppendCounts {
  /** Stored events by type. */
  readonly events = new Map<string, number>();
  /** Appends refused because another commit of the stream came first. */
  conflicts = 0;
  /** Appends with an unknown outcome. A refusal is not a failure. */
  failures = 0;
  /** Number of commits in each round trip to the store. */
  readonly batches = new Histogram(BATCHES);
  /** Seconds from call to answer, including refusals and failures. */
  readonly durations = new Histogram(DURATIONS);

  /** Runs one append and counts it. */
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
