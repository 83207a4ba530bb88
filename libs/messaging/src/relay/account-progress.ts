import type { ParkedAccount } from './parked-accounts.js';

const SHORTEST_BACK_OFF = 100;
const LONGEST_BACK_OFF = 30_000;

/** How far one account of a slot was sent. Positions are those of its commits in the slot; times are monotonic milliseconds. */
export class AccountProgress {
  /** Everything of the account up to here is confirmed. */
  sentTo: number;
  /** Messages of the next commit that are confirmed. */
  parts = 0;
  /** Its commits up to here were left out because it is parked. */
  skippedTo = 0;
  parked: ParkedAccount | undefined;
  /** Somebody sends for it; there is never more than one. */
  sending: Promise<void> | undefined;
  /** What ended the last sending, other than the broker's answers. */
  error: unknown;
  /** Nothing is sent before. */
  restsUntil = -Infinity;
  /** The broker did not take its last message. */
  isHeldUp = false;
  #refusals = 0;

  constructor(
    readonly partition: string,
    sentTo = 0,
  ) {
    this.sentTo = sentTo;
  }

  /** Whether the checkpoint may pass a commit of the account. */
  covers(position: number): boolean {
    return position <= this.sentTo || position <= this.skippedTo;
  }

  get isAtRest(): boolean {
    return !this.sending && !this.parked && this.error === undefined;
  }

  confirmed(): void {
    this.isHeldUp = false;
    this.#refusals = 0;
  }

  refused(now: number): void {
    this.restsUntil = now + Math.min(LONGEST_BACK_OFF, SHORTEST_BACK_OFF * 2 ** this.#refusals);
    this.#refusals = Math.min(this.#refusals + 1, 20);
  }
}
