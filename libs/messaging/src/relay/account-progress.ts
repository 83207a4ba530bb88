import { BackOff } from '@keyfold/concurrency';
import type { ParkedAccount } from './parked-accounts.js';

/** Milliseconds before a refused message is resent; doubled for each further refusal, up to the maximum. */
const INITIAL_DELAY = 100;
const MAX_DELAY = 30_000;

/** How far the events of one account in a slot were sent. Positions are those of its commits; times are monotonic milliseconds. */
export class AccountProgress {
  /** Everything up to this position is confirmed. */
  sentUpTo: number;
  /** Number of confirmed messages of the commit after `sentUpTo`. */
  confirmedMessages = 0;
  /** Commits up to this position were skipped because the account is parked. */
  skippedUpTo = 0;
  parked: ParkedAccount | undefined;
  /** The send in progress; there is never more than one. */
  sending: Promise<void> | undefined;
  /** Why the last send failed, unless the broker was the reason. */
  error: unknown;
  /** Nothing is sent before this time. */
  retryAt = -Infinity;
  /** Whether the broker did not take the last message. */
  isStalled = false;
  readonly #backOff = new BackOff(INITIAL_DELAY, MAX_DELAY);

  constructor(
    readonly partition: string,
    sentUpTo = 0,
  ) {
    this.sentUpTo = sentUpTo;
  }

  /** Whether the checkpoint may pass a commit of the account. */
  covers(position: number): boolean {
    return position <= this.sentUpTo || position <= this.skippedUpTo;
  }

  get isIdle(): boolean {
    return !this.sending && !this.parked && this.error === undefined;
  }

  /** Resets the back-off after a confirmed message. */
  resetBackOff(): void {
    this.isStalled = false;
    this.#backOff.reset();
  }

  /** Backs off after a refused message. */
  backOff(now: number): void {
    this.retryAt = now + this.#backOff.next();
  }
}
