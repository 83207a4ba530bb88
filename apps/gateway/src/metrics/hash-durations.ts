import { Histogram } from '@keyfold/event-store';

/** In seconds. A hash takes tens of milliseconds, and longer if CPUs are busy. */
const BOUNDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** A histogram of the durations of password hashes in this process, in seconds. */
export class HashDurations extends Histogram {
  constructor() {
    super(BOUNDS);
  }
}
