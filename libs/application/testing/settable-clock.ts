import { Clock } from '../src/commands/clock.js';

/** In milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A clock that only a test advances. */
export class SettableClock extends Clock {
  time = Date.UTC(2026, 0, 15, 12);

  now(): number {
    return this.time;
  }

  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}
