import { Histogram } from '@keyfold/event-store';

/** Seconds: a hash alone takes some hundredths, and longer where cores are short. */
const BOUNDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** How long the password hashes of this process took, in seconds. */
export class HashDurations extends Histogram {
  constructor() {
    super(BOUNDS);
  }
}
