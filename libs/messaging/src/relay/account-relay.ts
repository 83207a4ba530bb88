import { BackOff } from '@keyfold/concurrency';
import type { Commit, CommitFeed } from '@keyfold/event-store';
import { reasonOf } from '@keyfold/reporting';
import { Undeliverable, type Deliver, type Outlet } from './outlet.js';
import type { ParkedAccount, ParkedAccounts } from './parked-accounts.js';

/** Milliseconds before a refused delivery is retried; doubled for each further refusal, up to the maximum. */
const INITIAL_DELAY = 100;
const MAX_DELAY = 30_000;
/** Milliseconds before a parked account is retried; doubled each time it stays parked at its commit, up to the maximum. */
const PARKED_DELAY = 30_000;
const MAX_PARKED_DELAY = 300_000;

/** Dependencies of the relays of all slots and accounts. */
export type RelayParts = Readonly<{
  feed: CommitFeed;
  outlet: Outlet;
  parked: ParkedAccounts;
  /** Called for each account that is parked. */
  onParked(record: ParkedAccount): void;
  /** Returns Unix milliseconds. */
  clock(): number;
  /** Returns monotonic milliseconds. */
  now(): number;
  /** Milliseconds to wait for a page. Commits that are not delivered by then are read again with the next page. */
  pageTimeout: number;
}>;

/** Delivers the commits of one account in a slot. Positions are those of its commits; times are monotonic milliseconds. */
export class AccountRelay {
  /** Number of deliveries made of the commit after `sentUpTo`. */
  delivered = 0;
  /** Commits up to this position were skipped because the account is parked. */
  skippedUpTo = 0;
  parked: ParkedAccount | undefined;
  /** The send in progress; there is never more than one. */
  sending: Promise<void> | undefined;
  /** Why the last send failed, unless the outlet was the reason. */
  error: unknown;
  /** Nothing is sent before this time. */
  retryAt = 0;
  /** Whether the outlet did not take the last delivery. */
  isStalled = false;
  readonly #backOff = new BackOff(INITIAL_DELAY, MAX_DELAY);
  readonly #parkedBackOff = new BackOff(PARKED_DELAY, MAX_PARKED_DELAY);

  constructor(
    private readonly parts: RelayParts,
    readonly partition: string,
    /** Everything up to this position is delivered. */
    public sentUpTo = 0,
  ) {}

  /** Whether the checkpoint may pass a commit of the account. */
  covers(position: number): boolean {
    return position <= this.sentUpTo || position <= this.skippedUpTo;
  }

  get isIdle(): boolean {
    return !this.sending && !this.parked && this.error === undefined;
  }

  /** Skips commits up to a position because the account is parked. New ones may end that, so it is retried soon. */
  skip(position: number): void {
    if (position <= this.skippedUpTo) return;
    this.skippedUpTo = position;
    this.retryAt = Math.min(this.retryAt, this.parts.now() + PARKED_DELAY);
  }

  /** Sets when the parked account is retried. */
  delayRetry(isParkedAnew: boolean): void {
    if (isParkedAnew) this.#parkedBackOff.reset();
    this.retryAt = this.parts.now() + this.#parkedBackOff.next();
  }

  /** Makes the remaining deliveries of a commit one by one. Returns `unsent` if the commit has to be retried. */
  async send(commit: Commit, held: () => boolean): Promise<'sent' | 'unsent' | Undeliverable> {
    const { outlet } = this.parts;
    let deliveries: readonly Deliver[];
    try {
      deliveries = outlet.deliveriesOf(commit);
    } catch (error) {
      return new Undeliverable(reasonOf(error));
    }
    for (const deliver of deliveries.slice(this.delivered)) {
      if (!held() || !outlet.isReady) return 'unsent';
      const outcome = await deliver(held);
      if (outcome instanceof Undeliverable) return outcome;
      if (outcome !== 'delivered') {
        this.isStalled = true;
        if (outcome === 'refused') this.retryAt = this.parts.now() + this.#backOff.next();
        return 'unsent';
      }
      this.delivered += 1;
      this.isStalled = false;
      this.#backOff.reset();
    }
    return 'sent';
  }
}
