import pLimit from 'p-limit';
import type { Commit } from '../commit.js';
import type { CommitFeed } from '../commit-feed.js';
import { LeaseLost, type FeedLeases, type Lease } from './feed-leases.js';
import type { HeldSlot, HeldSlots } from './held-slots.js';

/** Commits of a slot that are handed out together, at most. */
export const FEED_PAGE = 500;
/** Until a slot is read again of which not everything could be done and nobody said when, in milliseconds. */
const AGAIN_AFTER = 1_000;

/** What a batch came to: there is more to read, something must be waited for, or everything was read. */
export type Look = 'more' | 'wait' | 'read';

/** A batch that is under way; `outcome` fails with what its work or the store failed with. */
export type Batch = Readonly<{ slot: number; outcome: Promise<Look> }>;

/**
 * How far the work on a page came: everything up to the position `upTo` is done, and what is behind it shall come again, after
 * `againAfter` milliseconds or when `readAgain` is called. Nothing said: all of it is done.
 */
export type Handled = Readonly<{ upTo: number; againAfter?: number }> | void;

export type HandlePage = (commits: readonly Commit[], held: () => boolean, lease: Lease) => Promise<Handled>;

type Work = Readonly<{
  handle: HandlePage;
  isReady(): boolean;
  parallelSlots: number;
  holeMilliseconds: number;
  now(): number;
  /** Work on a slot that others have a right to has ended. */
  onUnwanted(): void;
  /** A slot that was passed over can be read. */
  onReadable(slot: number): void;
  stopping: AbortSignal;
}>;

/** Reads what is new in the held slots: in order within each, never past a hole, and the checkpoint moves behind the work. */
export class SlotReader {
  readonly #parallel: ReturnType<typeof pLimit>;
  readonly #underWay = new Map<number, Promise<Look>>();
  /** Slots that had news for all that is known while a batch of theirs was under way. */
  readonly #passedOver = new Set<number>();
  readonly #resting = new Map<number, NodeJS.Timeout>();

  constructor(
    private readonly feed: CommitFeed,
    private readonly leases: FeedLeases,
    private readonly held: HeldSlots,
    private readonly work: Work,
  ) {
    this.#parallel = pLimit(work.parallelSlots);
  }

  /**
   * Begins a batch in every slot that has news and is not at work or resting; `rung`: in those of them of which it is known that they
   * have, without asking. Among all slots it begins the `failed` ones as well, because where nothing happens any more only a batch
   * shows that reading works again. What goes on in one slot keeps no other from being read.
   */
  async look(rung?: ReadonlySet<number>, failed: ReadonlySet<number> = new Set()): Promise<Batch[]> {
    if (!this.work.isReady()) return [];
    const workable = this.held.workable
      .map((slot) => [slot.lease.slot, slot] as const)
      .filter(([slot]) => rung?.has(slot) ?? true);
    for (const [slot] of workable) if (this.#underWay.has(slot)) this.#passedOver.add(slot);
    const free = new Map(workable.filter(([slot]) => !this.#underWay.has(slot) && !this.#resting.has(slot)));
    if (rung || free.size === 0) return [...free.values()].map((held) => this.#begin(held, 'rung'));
    const positions = new Map([...free].map(([slot, { position }]) => [slot, position]));
    const withNews = new Set(await this.feed.slotsWithNews(positions));
    return [...free].flatMap(([slot, held]) => {
      if (this.#underWay.has(slot)) return [];
      if (withNews.has(slot)) return [this.#begin(held, 'news')];
      return failed.has(slot) ? [this.#begin(held, 'rung')] : [];
    });
  }

  /** Whether a held slot has to wait for something besides new commits. */
  get isWaiting(): boolean {
    return !this.work.isReady() || this.#resting.size > 0 || this.held.workable.length < this.held.all.length;
  }

  /** Leaves a slot alone for a while. */
  rest(slot: number, milliseconds: number): void {
    clearTimeout(this.#resting.get(slot));
    const end = () => {
      this.#resting.delete(slot);
      this.work.onReadable(slot);
    };
    this.#resting.set(slot, setTimeout(end, milliseconds).unref());
  }

  /** Ends the rest of all slots. */
  wake(): void {
    for (const timer of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
  }

  /** The batches that are under way have ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
  }

  #begin(held: HeldSlot, reason: 'rung' | 'news'): Batch {
    const { slot } = held.lease;
    const ended = () => {
      this.#underWay.delete(slot);
      if (this.#passedOver.delete(slot)) this.work.onReadable(slot);
    };
    const outcome = this.#parallel(() => this.#readBatch(held, reason)).finally(ended);
    this.#underWay.set(slot, outcome);
    return { slot, outcome };
  }

  async #readBatch(slot: HeldSlot, reason: 'rung' | 'news'): Promise<Look> {
    if (this.work.stopping.aborted || !this.held.workable.includes(slot)) return 'wait';
    slot.busy = true;
    try {
      const commits = await this.feed.readFeed(slot.lease.slot, slot.position, FEED_PAGE);
      if (!this.held.isHeld(slot)) return 'wait';
      const last = commits.at(-1);
      // A ring may be false; where something does lie behind a hole, the next look that asks finds it.
      if (!last) return reason === 'rung' ? 'read' : await this.#waitForHole(slot);
      slot.hiddenSince = undefined;
      const handled = await this.work.handle(commits, () => this.held.isHeld(slot), slot.lease);
      const { upTo, againAfter = AGAIN_AFTER } = handled ?? { upTo: last.position };
      if (upTo > slot.position) await this.#moveTo(slot, upTo);
      if (upTo === last.position) return commits.length === FEED_PAGE ? 'more' : 'read';
      this.rest(slot.lease.slot, againAfter);
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

  /** Commits lie behind a position that is free: somebody is about to write there, or died before. */
  async #waitForHole(slot: HeldSlot): Promise<Look> {
    slot.hiddenSince ??= this.work.now();
    if (this.work.now() - slot.hiddenSince < this.work.holeMilliseconds) return 'wait';
    await this.feed.closeHoles(slot.lease.slot, slot.position);
    slot.hiddenSince = undefined;
    return 'more';
  }
}
