import { Injectable } from '@nestjs/common';
import { LoginHours, type LoginHour } from '@keyfold/security';
import { Clock, isoTime } from '../commands/clock.js';

const HOUR_MS = 3_600_000;
/** How long counts wait before they are stored together (milliseconds), so that no login is a write of its own. */
const STORE_DELAY = 3_000;
/** Number of hours that are shown. */
const SHOWN_HOURS = 24;

/**
 * Counts the logins that this thread decides, by hour, and stores the counts every few seconds beside those of all other threads and processes. Counts that
 * cannot be stored are lost.
 */
@Injectable()
export class RecentLogins {
  readonly #counts = new Map<number, LoginHour>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly hours: LoginHours,
    private readonly clock: Clock,
  ) {}

  /** Counts a login now. Neither waits nor throws. */
  add(outcome: 'accepted' | 'refused'): void {
    const hour = this.#hour();
    const counts = this.#counts.get(hour) ?? noLogins(hour);
    this.#counts.set(hour, { ...counts, [outcome]: counts[outcome] + 1 });
    this.#timer ??= setTimeout(() => void this.#store(), STORE_DELAY).unref();
  }

  /** Returns the stored counts of the last 24 hours, this one included, the oldest first. Throws `StoreUnavailable`. */
  async lastDay(): Promise<LoginHour[]> {
    const last = this.#hour();
    const first = last - SHOWN_HOURS + 1;
    const stored = new Map((await this.hours.between(first, last)).map((each) => [each.hour, each]));
    return Array.from({ length: SHOWN_HOURS }, (_, index) => stored.get(first + index) ?? noLogins(first + index));
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#store();
  }

  async #store(): Promise<void> {
    this.#timer = undefined;
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    if (counts.length > 0) await this.hours.add(counts).catch(() => undefined);
  }

  #hour(): number {
    return Math.floor(this.clock.now() / HOUR_MS);
  }
}

const noLogins = (hour: number): LoginHour => ({ hour, accepted: 0, refused: 0 });

/** Returns the start of an hour as an ISO 8601 timestamp. */
export const startOfHour = (hour: number): string => isoTime(hour * HOUR_MS);
