import { FEED_PAGE, type Commit, type Handled } from '@keyfold/event-store';
import { UnsendableMessage } from '../messaging.errors.js';
import { waitAtMost } from '../wait-at-most.js';
import { AccountProgress } from './account-progress.js';
import type { ParkedAccount } from './parked-accounts.js';
import type { RelayParts } from './relay-parts.js';
import { sendCommit } from './send-commit.js';

/** Until a page is tried again that the broker did not answer in time, in milliseconds. */
const AGAIN_AFTER = 100;
/** A page with room may have to take commits of other accounts, which do not wait for the back-off of one. */
const OTHERS_WAIT = 1_000;
const RETRY_PARKED_AFTER = 30_000;
const RETRY_UNFINISHED_AFTER = 1_000;

/**
 * Sends the commits of one slot for as long as one lease of it lasts. Of an account there is never more than one message in flight, so
 * its order holds whatever is refused; accounts do not wait for each other. What is confirmed ahead of the checkpoint is remembered.
 */
export class SlotRelay {
  readonly #lines = new Map<string, AccountProgress>();
  /** Records of accounts that wait no more; until they are gone, a successor sends again what they stand for. */
  readonly #released = new Set<ParkedAccount>();
  #loaded: Promise<void> | undefined;
  /** Messages of the commits that were sent since the last page. */
  #sent = 0;

  constructor(
    readonly slot: number,
    /** Of the lease. */
    readonly epoch: number,
    private readonly parts: RelayParts,
  ) {}

  get parkedAccounts(): number {
    return [...this.#lines.values()].filter(({ parked }) => parked).length;
  }

  /** Whether the broker did not take the last message of an account. */
  get isHeldUp(): boolean {
    return [...this.#lines.values()].some(({ isHeldUp }) => isHeldUp);
  }

  /** Whether `retryParked` has anything to do, now or later. */
  get hasParked(): boolean {
    return this.#released.size > 0 || this.parkedAccounts > 0;
  }

  /** Works on the page behind the checkpoint. `held`: false when others may have the slot. */
  async handle(page: readonly Commit[], held: () => boolean): Promise<Handled> {
    await this.load();
    const accounts = Map.groupBy(page, ({ partition }) => partition);
    this.#forgetOthers(accounts, page[0]?.position ?? 0);
    const lines = [...accounts].map(([partition, commits]) => {
      const line = this.#lineOf(partition);
      this.#work(line, commits, held);
      return line;
    });
    const awaited = lines.flatMap(({ parked, sending }) => (parked || !sending ? [] : [sending]));
    await waitAtMost(this.parts.patience, Promise.all(awaited));
    this.parts.counter.pages.observe(this.#sent);
    this.#sent = 0;
    throwErrorOf(lines);
    return this.#handled(page, lines);
  }

  /**
   * Tries the parked accounts again whose time has come: in order from the parked commit on, up to `checkpoint` and what was left out
   * since; then they are as all others. Ends when all of them are sent or parked anew.
   */
  async retryParked(checkpoint: number, held: () => boolean): Promise<void> {
    await this.load();
    await this.#removeReleased();
    const now = this.parts.now();
    const due = [...this.#lines.values()].filter((line) => line.parked && !line.sending && line.restsUntil <= now);
    for (const line of due) this.#begin(line, this.#release(line, checkpoint, held));
    await Promise.all(due.flatMap(({ sending }) => sending ?? []));
    throwErrorOf(due);
  }

  /** Takes over the records of the slot, so that nobody who had it before can remove them any more. */
  async load(): Promise<void> {
    this.#loaded ??= this.#load();
    try {
      await this.#loaded;
    } catch (error) {
      this.#loaded = undefined;
      throw error;
    }
  }

  /**
   * Removes what a process wrote that had lost the slot by then: no checkpoint passed that position, so it was sent from here or is parked
   * anew.
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
      const line = new AccountProgress(record.partition, record.position - 1);
      line.parked = record;
      this.#lines.set(record.partition, line);
    }
  }

  #lineOf(partition: string): AccountProgress {
    const line = this.#lines.get(partition) ?? new AccountProgress(partition);
    this.#lines.set(partition, line);
    return line;
  }

  /** Accounts of which the checkpoint has passed everything that is known. */
  #forgetOthers(page: ReadonlyMap<string, unknown>, firstOfPage: number): void {
    for (const [partition, line] of this.#lines) {
      if (!page.has(partition) && line.isAtRest && line.sentTo < firstOfPage) this.#lines.delete(partition);
    }
  }

  #work(line: AccountProgress, commits: readonly Commit[], held: () => boolean): void {
    if (line.parked) line.skippedTo = Math.max(line.skippedTo, commits.at(-1)?.position ?? 0);
    else if (!line.sending && line.restsUntil <= this.parts.now()) {
      const unsent = commits.filter(({ position }) => !line.covers(position));
      if (unsent.length > 0) this.#begin(line, this.#sendAll(line, unsent, held));
    }
  }

  #begin(line: AccountProgress, sending: Promise<unknown>): void {
    line.sending = sending.then(
      () => {
        line.sending = undefined;
      },
      (error: unknown) => {
        line.sending = undefined;
        line.error = error;
      },
    );
  }

  /** In order, until something stands in the way; answers whether nothing did. */
  async #sendAll(line: AccountProgress, commits: readonly Commit[], held: () => boolean): Promise<boolean> {
    for (const commit of commits) {
      if (commit.position <= line.sentTo) continue;
      const outcome = await sendCommit(line, commit, this.parts, held);
      if (outcome instanceof UnsendableMessage) {
        await this.#park(line, commit, outcome);
        line.skippedTo = Math.max(line.skippedTo, commits.at(-1)?.position ?? 0);
      }
      if (outcome !== 'sent') return false;
      line.sentTo = commit.position;
      this.#sent += line.parts;
      line.parts = 0;
    }
    return true;
  }

  /** The record is there before the checkpoint can pass the commit. */
  async #park(line: AccountProgress, { position }: Commit, error: UnsendableMessage): Promise<void> {
    if (line.parked?.position !== position) {
      const { slot, epoch } = this;
      const record = { slot, partition: line.partition, position, error: error.message, at: this.parts.clock(), epoch };
      await this.parts.parked.park(record);
      line.parked = record;
      // What lies before it was sent: by this process, or by others before the checkpoint passed.
      line.sentTo = Math.max(line.sentTo, position - 1);
      this.parts.onParked(record);
    }
    line.isHeldUp = false;
    line.restsUntil = this.parts.now() + RETRY_PARKED_AFTER;
  }

  async #release(line: AccountProgress, checkpoint: number, held: () => boolean): Promise<void> {
    for (let after = line.sentTo; after < Math.max(checkpoint, line.skippedTo);) {
      const page = await this.parts.store.readFeed(this.slot, after, FEED_PAGE);
      const own = page.filter(({ partition }) => partition === line.partition);
      const refusedUntil = line.restsUntil;
      if (!(await this.#sendAll(line, own, held)) || page.length === 0) {
        if (line.restsUntil === refusedUntil) line.restsUntil = this.parts.now() + RETRY_UNFINISHED_AFTER;
        return;
      }
      after = page.at(-1)?.position ?? after;
      line.sentTo = after;
    }
    // From here on the account is as all others; nothing was left out since the last look at what was.
    if (line.parked) this.#released.add(line.parked);
    line.parked = undefined;
    await this.#removeReleased();
  }

  async #removeReleased(): Promise<void> {
    for (const record of this.#released) {
      await this.parts.parked.unpark(record);
      this.#released.delete(record);
    }
  }

  #handled(page: readonly Commit[], lines: readonly AccountProgress[]): Handled {
    const open = page.findIndex(({ partition, position }) => !this.#lineOf(partition).covers(position));
    if (open === -1) return;
    const now = this.parts.now();
    const rests = lines.flatMap(({ parked, restsUntil }) => (!parked && restsUntil > now ? [restsUntil - now] : []));
    const backOff = rests.length > 0 ? Math.min(...rests) : AGAIN_AFTER;
    const againAfter = page.length < FEED_PAGE ? Math.min(backOff, OTHERS_WAIT) : backOff;
    return { upTo: page[open]!.position - 1, againAfter };
  }
}

function throwErrorOf(lines: readonly AccountProgress[]): void {
  const failed = lines.find(({ error }) => error !== undefined);
  const error = failed?.error;
  for (const line of lines) line.error = undefined;
  if (failed) throw error;
}
