import { waitAtMost } from '@keyfold/concurrency';
import { FEED_PAGE, type Commit, type Handled } from '@keyfold/event-store';
import pLimit from 'p-limit';
import { AccountRelay, type RelayParts } from './account-relay.js';
import { Undeliverable } from './outlet.js';
import type { ParkedAccount } from './parked-accounts.js';

/** Milliseconds until an unfinished page is read again. */
const PAGE_DELAY = 100;
/** Maximum delay for a page that is not full: new commits of other accounts must not wait for the back-off of one account. */
const MAX_PAGE_DELAY = 1_000;
/** Milliseconds until a parked account is continued that the outlet interrupted. */
const INTERRUPTED_DELAY = 1_000;
/** Letters of a stored reason. */
const REASON_LENGTH = 1_000;
/** Parked accounts that are retried at once, so that many of them do not crowd out changes of others. */
const PARALLEL_RETRIES = 4;

/**
 * Delivers the commits of one slot during one lease. Each account has at most one delivery in flight, so its order holds even if deliveries
 * are refused; accounts do not wait for each other. What was delivered ahead of the checkpoint is not delivered again.
 */
export class SlotRelay {
  readonly #accounts = new Map<string, AccountRelay>();
  /** Records of accounts that are no longer parked but still stored. If the slot changes hands, their events are resent. */
  readonly #released = new Set<ParkedAccount>();
  readonly #retries = pLimit(PARALLEL_RETRIES);
  #loaded: Promise<void> | undefined;
  /** Number of deliveries of the commits sent since the last page. */
  #deliveries = 0;

  constructor(
    readonly slot: number,
    /** The epoch of the lease. */
    readonly epoch: number,
    private readonly parts: RelayParts,
  ) {}

  get parkedAccounts(): number {
    return [...this.#accounts.values()].filter(({ parked }) => parked).length;
  }

  /** Whether the outlet did not take the last delivery of some account. */
  get isStalled(): boolean {
    return [...this.#accounts.values()].some(({ isStalled }) => isStalled);
  }

  /** Whether `retryParked` has work to do, now or later. */
  get hasParked(): boolean {
    return this.#released.size > 0 || this.parkedAccounts > 0;
  }

  /** Sends the page after the checkpoint. `held` returns false once another process may hold the slot. */
  async handle(page: readonly Commit[], held: () => boolean): Promise<Handled> {
    await this.load();
    const commitsOf = Map.groupBy(page, ({ partition }) => partition);
    this.#forgetIdle(commitsOf, page[0]?.position ?? 0);
    const accounts = [...commitsOf].map(([partition, commits]) => {
      const account = this.#accountOf(partition);
      this.#work(account, commits, held);
      return account;
    });
    const awaited = accounts.flatMap(({ parked, sending }) => (parked || !sending ? [] : [sending]));
    await waitAtMost(this.parts.pageTimeout, Promise.all(awaited));
    this.parts.outlet.countPage?.(this.#deliveries);
    this.#deliveries = 0;
    throwErrorOf(accounts);
    return this.#handled(page, accounts);
  }

  /**
   * Retries the parked accounts that are due, a few at once and the longest due first: sends their commits from the parked one up to
   * `checkpoint` and the last skipped commit, then releases them. Resolves when each is released or parked again.
   */
  async retryParked(checkpoint: number, held: () => boolean): Promise<void> {
    await this.load();
    await this.#removeReleased();
    const now = this.parts.now();
    // The last call still has accounts waiting.
    if (this.#retries.pendingCount > 0) return;
    const due = [...this.#accounts.values()]
      .filter(({ parked, sending, retryAt }) => parked && !sending && retryAt <= now)
      .toSorted((left, right) => left.retryAt - right.retryAt);
    await this.#retries.map(due, async (account) => {
      if (!account.parked || account.sending || !held() || !this.parts.outlet.isReady) return;
      await (account.sending = this.#settle(account, this.#release(account, checkpoint, held)));
    });
    throwErrorOf(due);
  }

  /** Makes a parked account due for `retryParked`. */
  retryAtOnce(partition: string): void {
    const account = this.#accounts.get(partition);
    if (account?.parked) account.retryAt = this.parts.now();
  }

  /** Takes over the parked accounts of the slot under this epoch, so that a previous holder can no longer remove them. */
  load(): Promise<void> {
    return (this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    }));
  }

  /**
   * Removes records that a previous holder wrote after it had lost the slot. No checkpoint has passed their positions, so this process sent
   * the events or parked them again.
   */
  async removeStale(): Promise<void> {
    await this.load();
    for (const record of await this.parts.parked.all(this.slot)) {
      if (record.epoch < this.epoch) await this.parts.parked.unpark(record);
    }
  }

  async #load(): Promise<void> {
    for (const found of await this.parts.parked.all(this.slot)) {
      const record = { ...found, epoch: this.epoch };
      if (found.epoch !== record.epoch) await this.parts.parked.park(record);
      const account = new AccountRelay(this.parts, record.partition, record.position - 1);
      account.parked = record;
      this.#accounts.set(record.partition, account);
    }
  }

  #accountOf(partition: string): AccountRelay {
    const account = this.#accounts.get(partition) ?? new AccountRelay(this.parts, partition);
    this.#accounts.set(partition, account);
    return account;
  }

  /** Forgets idle accounts whose commits are all behind the checkpoint. */
  #forgetIdle(page: ReadonlyMap<string, unknown>, firstOfPage: number): void {
    for (const [partition, account] of this.#accounts) {
      if (!page.has(partition) && account.isIdle && account.sentUpTo < firstOfPage) this.#accounts.delete(partition);
    }
  }

  #work(account: AccountRelay, commits: readonly Commit[], held: () => boolean): void {
    if (account.parked) account.skip(commits.at(-1)?.position ?? 0);
    else if (!account.sending && account.retryAt <= this.parts.now()) {
      const unsent = commits.filter(({ position }) => !account.covers(position));
      if (unsent.length > 0) account.sending = this.#settle(account, this.#sendAll(account, unsent, held));
    }
  }

  async #settle(account: AccountRelay, sending: Promise<unknown>): Promise<void> {
    try {
      await sending;
    } catch (error) {
      account.error = error;
    } finally {
      account.sending = undefined;
    }
  }

  /** Sends commits in order up to the first failure. Returns whether all were sent. */
  async #sendAll(account: AccountRelay, commits: readonly Commit[], held: () => boolean): Promise<boolean> {
    for (const commit of commits) {
      if (commit.position <= account.sentUpTo) continue;
      const outcome = await account.send(commit, held);
      if (outcome instanceof Undeliverable) {
        await this.#park(account, commit, outcome);
        account.skippedUpTo = Math.max(account.skippedUpTo, commits.at(-1)?.position ?? 0);
      }
      if (outcome !== 'sent') return false;
      // A delivery of the state began after all of these commits were read.
      const covered = this.parts.outlet.carriesState && account.delivered > 0 ? commits.at(-1)! : commit;
      account.sentUpTo = covered.position;
      this.#deliveries += account.delivered;
      account.delivered = 0;
    }
    return true;
  }

  /** Writes the record before the checkpoint can pass the commit. */
  async #park(account: AccountRelay, { position }: Commit, { reason }: Undeliverable): Promise<void> {
    const isNew = account.parked?.position !== position;
    if (isNew) {
      const { slot, epoch } = this;
      const { partition } = account;
      const record = {
        slot,
        partition,
        position,
        error: reason.slice(0, REASON_LENGTH),
        at: this.parts.clock(),
        epoch,
      };
      await this.parts.parked.park(record);
      account.parked = record;
      // Earlier commits were sent by this process, or by another one before the checkpoint passed them.
      account.sentUpTo = Math.max(account.sentUpTo, position - 1);
      this.parts.onParked(record);
    }
    account.isStalled = false;
    account.delayRetry(isNew);
  }

  /** Sends what was skipped and ends the parking, unless a commit still cannot be sent. */
  async #release(account: AccountRelay, checkpoint: number, held: () => boolean): Promise<void> {
    for (let after = account.sentUpTo; after < Math.max(checkpoint, account.skippedUpTo);) {
      const page = await this.parts.feed.readFeed(this.slot, after, FEED_PAGE);
      const own = page.filter(({ partition }) => partition === account.partition);
      const refusedUntil = account.retryAt;
      if (!(await this.#sendAll(account, own, held)) || page.length === 0) {
        if (account.retryAt === refusedUntil) account.retryAt = this.parts.now() + INTERRUPTED_DELAY;
        return;
      }
      after = page.at(-1)?.position ?? after;
      account.sentUpTo = after;
    }
    // All skipped commits are sent, so the account continues like any other.
    if (account.parked) this.#released.add(account.parked);
    account.parked = undefined;
    await this.#removeReleased();
  }

  async #removeReleased(): Promise<void> {
    for (const record of this.#released) {
      await this.parts.parked.unpark(record);
      this.#released.delete(record);
    }
  }

  #handled(page: readonly Commit[], accounts: readonly AccountRelay[]): Handled {
    const firstOpen = page.findIndex(({ partition, position }) => !this.#accountOf(partition).covers(position));
    if (firstOpen === -1) return;
    const now = this.parts.now();
    const delays = accounts.flatMap(({ parked, retryAt }) => (!parked && retryAt > now ? [retryAt - now] : []));
    const backOff = delays.length > 0 ? Math.min(...delays) : PAGE_DELAY;
    const againAfter = page.length < FEED_PAGE ? Math.min(backOff, MAX_PAGE_DELAY) : backOff;
    return { upTo: page[firstOpen]!.position - 1, againAfter };
  }
}

function throwErrorOf(accounts: readonly AccountRelay[]): void {
  const failed = accounts.find(({ error }) => error !== undefined);
  const error = failed?.error;
  for (const account of accounts) account.error = undefined;
  if (failed) throw error;
}
