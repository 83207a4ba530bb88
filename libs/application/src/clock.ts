/** Provides the time in unix milliseconds. Handlers pass it to deciders, and tests can set it. */
export abstract class Clock {
  abstract now(): number;
}

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}
