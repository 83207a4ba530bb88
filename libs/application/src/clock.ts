/** The time in unix milliseconds; given in, so that deciders and tests never ask a clock. */
export abstract class Clock {
  abstract now(): number;
}

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}
