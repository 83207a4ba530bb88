import type { FeedLeases, Lease } from './feed-leases.js';
import { slotShares } from './slot-shares.js';

/** A slot that this process works on. The position is ahead of the lease's, which is the one it was taken with. */
export type HeldSlot = {
  readonly lease: Lease;
  position: number;
  /** Monotonic time from which on nothing new may be begun, because others may hold the slot soon. */
  workUntil: number;
  /** Work on it is under way, which is finished before the slot is given up. */
  busy: boolean;
  /** Monotonic time since which commits are known that a hole at this position hides. */
  hiddenSince?: number | undefined;
};

type Membership = Readonly<{ reader: string; owner: string; leaseMilliseconds: number; now: () => number }>;

/** The slots that one process holds for a reader: its share of them, and until it has finished, what it had before others came. */
export class HeldSlots {
  readonly #held = new Map<number, HeldSlot>();
  #share: ReadonlySet<number> = new Set();
  #members: readonly string[] = [];

  constructor(
    private readonly leases: FeedLeases,
    private readonly slots: number,
    private readonly membership: Membership,
  ) {}

  /** Everybody who worked for the reader at the last renewal. */
  get members(): readonly string[] {
    return this.#members;
  }

  get all(): readonly HeldSlot[] {
    return [...this.#held.values()];
  }

  /** Those in which a batch may begin now. */
  get workable(): readonly HeldSlot[] {
    return this.all.filter((slot) => this.isHeld(slot) && !this.isUnwanted(slot));
  }

  /** Whether nobody else can be at work on the slot now. */
  isHeld(slot: HeldSlot): boolean {
    return this.#held.get(slot.lease.slot) === slot && this.membership.now() < slot.workUntil;
  }

  /** Whether others have a right to the slot. */
  isUnwanted({ lease }: HeldSlot): boolean {
    return !this.#share.has(lease.slot);
  }

  /** Joins, gives up what is no longer its own, takes its share and renews it. Answers whether it has all of it. */
  async renew(): Promise<boolean> {
    const { reader, owner, leaseMilliseconds, now } = this.membership;
    this.#members = await this.leases.join(reader, owner, leaseMilliseconds);
    this.#share = new Set(slotShares(this.#members, this.slots).get(owner));
    await this.#giveUp(this.all.filter((slot) => this.isUnwanted(slot) && !slot.busy));
    const wanted = new Set([...this.#share, ...this.#held.keys()]);
    // The store's clock starts later than this, so the lease ends later than it is counted here.
    const began = now();
    const leases = await this.leases.take(reader, owner, [...wanted], leaseMilliseconds);
    this.#hold(leases, began + (leaseMilliseconds * 2) / 3);
    return leases.length === wanted.size;
  }

  /** The slot belongs to somebody else by now. */
  lose(slot: HeldSlot): void {
    if (this.#held.get(slot.lease.slot) === slot) this.#held.delete(slot.lease.slot);
  }

  /** Gives everything up and leaves. */
  async leave(): Promise<void> {
    const { reader, owner } = this.membership;
    if (this.#members.length === 0) return;
    await this.#giveUp(this.all);
    await this.leases.leave(reader, owner);
  }

  #hold(leases: readonly Lease[], workUntil: number): void {
    const before = new Map(this.#held);
    this.#held.clear();
    for (const lease of leases) {
      const held = before.get(lease.slot);
      if (held?.lease.epoch === lease.epoch) this.#held.set(lease.slot, Object.assign(held, { workUntil }));
      else this.#held.set(lease.slot, { lease, position: lease.position, workUntil, busy: false });
    }
  }

  async #giveUp(slots: readonly HeldSlot[]): Promise<void> {
    for (const slot of slots) this.lose(slot);
    if (slots.length > 0) await this.leases.release(slots.map(({ lease }) => lease));
  }
}
