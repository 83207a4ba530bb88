/** Provides the time in unix milliseconds. Handlers pass it to deciders, and tests can set it. */
export abstract class Clock {
  abstract now(): number;
}

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}

/** Converts unix milliseconds to an ISO 8601 timestamp in UTC, always with milliseconds (wire contract 3.3). */
export const isoTime = (at: number): string => new Date(at).toISOString();
