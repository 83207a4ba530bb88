import pLimit from 'p-limit';
import type { Commit } from '../commit.js';
import type { EventStore } from '../event-store.js';
import { LeaseLost, type FeedLeases } from './feed-leases.js';
import type { HeldSlot, HeldSlots } from './held-slots.js';

const BATCH = 500;
const PARALLEL_SLOTS = 8;

/** What a look came to: pages were full, so there is more; something must be waited for; or everything was read. */
export type Look = 'more' | 'wait' | 'read';

type Work = Readonly<{
  handle(commits: readonly Commit[], held: () => boolean): Promise<void>;
  holeMilliseconds: number;
  now(): number;
  /** Work on a slot that others have a right to has ended. */
  onUnwanted(): void;
  stopping: AbortSignal;
}>;

/** Reads what is new in the held slots: in order within each, never past a hole, and the checkpoint moves behind the work. */
export class SlotReader {
  readonly #parallel = pLimit(PARALLEL_SLOTS);

  constructor(
    private readonly store: EventStore,
    private readonly leases: FeedLeases,
    private readonly held: HeldSlots,
    private readonly work: Work,
  ) {}

  /** Reads one batch of every slot that has news. What goes wrong in one slot keeps no other from being read. */
  async look(): Promise<Look> {
    const slots = this.held.workable;
    const lapsed = slots.length < this.held.all.length;
    const bySlot = new Map(slots.map((slot) => [slot.lease.slot, slot]));
    const positions = new Map(slots.map(({ lease, position }) => [lease.slot, position]));
    const withNews = slots.length > 0 ? await this.store.slotsWithNews(positions) : [];
    const behind = withNews.flatMap((slot) => bySlot.get(slot) ?? []);
    const batches = await Promise.allSettled(behind.map((slot) => this.#parallel(() => this.#readBatch(slot))));
    const failed = batches.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    const looks = batches.map((batch) => (batch.status === 'fulfilled' ? batch.value : 'wait'));
    if (looks.includes('more')) return 'more';
    return lapsed || looks.includes('wait') ? 'wait' : 'read';
  }

  async #readBatch(slot: HeldSlot): Promise<Look> {
    if (this.work.stopping.aborted || !this.held.workable.includes(slot)) return 'wait';
    slot.busy = true;
    try {
      const commits = await this.store.readFeed(slot.lease.slot, slot.position, BATCH);
      if (!this.held.isHeld(slot)) return 'wait';
      const last = commits.at(-1);
      if (!last) return await this.#waitForHole(slot);
      slot.hiddenSince = undefined;
      await this.work.handle(commits, () => this.held.isHeld(slot));
      await this.leases.advance(slot.lease, last.position);
      slot.position = last.position;
      return commits.length === BATCH ? 'more' : 'read';
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.held.lose(slot);
      return 'read';
    } finally {
      slot.busy = false;
      if (this.held.isUnwanted(slot)) this.work.onUnwanted();
    }
  }

  /** Commits lie behind a position that is free: somebody is about to write there, or died before. */
  async #waitForHole(slot: HeldSlot): Promise<Look> {
    slot.hiddenSince ??= this.work.now();
    if (this.work.now() - slot.hiddenSince < this.work.holeMilliseconds) return 'wait';
    await this.store.closeHoles(slot.lease.slot, slot.position);
    slot.hiddenSince = undefined;
    return 'more';
  }
}
