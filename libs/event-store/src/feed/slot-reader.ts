import pLimit from 'p-limit';
import type { Commit } from '../commit.js';
import type { CommitFeed } from './commit-feed.js';
import { LeaseLost, type FeedLeases, type Lease } from './feed-leases.js';
import type { HeldSlot, HeldSlots } from './held-slots.js';

export const FEED_PAGE = 500;
/** Default pause before an unfinished slot is read again, in milliseconds. */
const AGAIN_AFTER = 1_000;

/** Result of a batch: there is more to read, the slot has to wait, or it is read to its end. */
type BatchOutcome = 'more' | 'wait' | 'read';

/** A batch in progress. `outcome` rejects with the error of the handler or of the store. */
export type Batch = Readonly<{ slot: number; outcome: Promise<BatchOutcome> }>;

/**
 * How much of a page was handled: everything up to the position `upTo`. The rest is delivered again after `againAfter` milliseconds, or
 * when `readAgain` is called. Undefined means that the whole page is done.
 */
export type Handled = Readonly<{ upTo: number; againAfter?: number }> | void;

export type HandlePage = (commits: readonly Commit[], held: () => boolean, lease: Lease) => Promise<Handled>;

type Work = Readonly<{
  handle: HandlePage;
  isReady(): boolean;
  pageSize: number;
  parallelSlots: number;
  holeMilliseconds: number;
  now(): number;
  /** Called when work ends on a slot that another process is entitled to. */
  onUnwanted(): void;
  /** Called when a deferred slot can be read again. */
  onReadable(slot: number): void;
  stopping: AbortSignal;
}>;

/** Reads new commits from the held slots: in order and never past a hole. The checkpoint follows the handler. */
export class SlotReader {
  readonly #parallel: ReturnType<typeof pLimit>;
  readonly #inProgress = new Map<number, Promise<BatchOutcome>>();
  /** Slots that may have had news while one of their batches was in progress. */
  readonly #passedOver = new Set<number>();
  readonly #deferred = new Map<number, NodeJS.Timeout>();

  constructor(
    private readonly feed: CommitFeed,
    private readonly leases: FeedLeases,
    private readonly held: HeldSlots,
    private readonly work: Work,
  ) {
    this.#parallel = pLimit(work.parallelSlots);
  }

  /**
   * Starts a batch in every slot that has news, is not deferred and has no batch in progress. With `signalled`, only these slots count,
   * and the store is not asked for news. A poll of all slots includes the `failed` ones: in an idle slot only a batch shows that reading
   * works again. Slots never wait for each other.
   */
  async poll(signalled?: ReadonlySet<number>, failed: ReadonlySet<number> = new Set()): Promise<Batch[]> {
    if (!this.work.isReady()) return [];
    const workable = this.held.workable
      .map((slot) => [slot.lease.slot, slot] as const)
      .filter(([slot]) => signalled?.has(slot) ?? true);
    for (const [slot] of workable) if (this.#inProgress.has(slot)) this.#passedOver.add(slot);
    const free = new Map(workable.filter(([slot]) => !this.#inProgress.has(slot) && !this.#deferred.has(slot)));
    if (signalled || free.size === 0) return [...free.values()].map((held) => this.#begin(held, 'signal'));
    const positions = new Map([...free].map(([slot, { position }]) => [slot, position]));
    const withNews = new Set(await this.feed.slotsWithNews(positions));
    return [...free].flatMap(([slot, held]) => {
      if (this.#inProgress.has(slot)) return [];
      if (withNews.has(slot)) return [this.#begin(held, 'news')];
      return failed.has(slot) ? [this.#begin(held, 'signal')] : [];
    });
  }

  /** Whether a held slot waits for anything other than new commits. */
  get isWaiting(): boolean {
    return !this.work.isReady() || this.#deferred.size > 0 || this.held.workable.length < this.held.all.length;
  }

  defer(slot: number, milliseconds: number): void {
    clearTimeout(this.#deferred.get(slot));
    const end = () => {
      this.#deferred.delete(slot);
      this.work.onReadable(slot);
    };
    this.#deferred.set(slot, setTimeout(end, milliseconds).unref());
  }

  wake(): void {
    for (const timer of this.#deferred.values()) clearTimeout(timer);
    this.#deferred.clear();
  }

  async idle(): Promise<void> {
    await Promise.allSettled(this.#inProgress.values());
  }

  #begin(held: HeldSlot, reason: 'signal' | 'news'): Batch {
    const { slot } = held.lease;
    const ended = () => {
      this.#inProgress.delete(slot);
      if (this.#passedOver.delete(slot)) this.work.onReadable(slot);
    };
    const outcome = this.#parallel(() => this.#readBatch(held, reason)).finally(ended);
    this.#inProgress.set(slot, outcome);
    return { slot, outcome };
  }

  async #readBatch(slot: HeldSlot, reason: 'signal' | 'news'): Promise<BatchOutcome> {
    if (this.work.stopping.aborted || !this.held.workable.includes(slot)) return 'wait';
    slot.busy = true;
    try {
      const commits = await this.feed.readFeed(slot.lease.slot, slot.position, this.work.pageSize);
      if (!this.held.isHeld(slot)) return 'wait';
      const last = commits.at(-1);
      // The signal may be unnecessary. If there is a commit behind a hole, the next poll of all slots finds it.
      if (!last) return reason === 'signal' ? 'read' : await this.#waitForHole(slot);
      slot.hiddenSince = undefined;
      const handled = await this.work.handle(commits, () => this.held.isHeld(slot), slot.lease);
      const { upTo, againAfter = AGAIN_AFTER } = handled ?? { upTo: last.position };
      if (upTo > slot.position) await this.#moveTo(slot, upTo);
      if (upTo === last.position) return commits.length === this.work.pageSize ? 'more' : 'read';
      this.defer(slot.lease.slot, againAfter);
      return 'wait';
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.held.lose(slot);
      return 'read';
    } finally {
      slot.busy = false;
      if (this.held.isUnwanted(slot)) this.work.onUnwanted();
    }
  }

  async #moveTo(slot: HeldSlot, position: number): Promise<void> {
    await this.leases.advance(slot.lease, position);
    slot.position = position;
  }

  /** There are commits behind a free position: a process is about to write there, or died before it could. */
  async #waitForHole(slot: HeldSlot): Promise<BatchOutcome> {
    slot.hiddenSince ??= this.work.now();
    if (this.work.now() - slot.hiddenSince < this.work.holeMilliseconds) return 'wait';
    await this.feed.closeHoles(slot.lease.slot, slot.position);
    slot.hiddenSince = undefined;
    return 'more';
  }
}

/** Resolves to the outcomes of all batches. Rejects with the first failure after all have settled. */
export async function allOf(batches: readonly Batch[]): Promise<BatchOutcome[]> {
  const outcomes = batches.map(({ outcome }) => outcome);
  await Promise.allSettled(outcomes);
  return Promise.all(outcomes);
}
