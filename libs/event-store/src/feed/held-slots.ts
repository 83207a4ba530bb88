import { hash } from 'node:crypto';
import type { FeedLeases, Lease } from './feed-leases.js';

/** A slot that this process works on. Its position moves ahead of the lease's, which is the one at the start of the lease. */
export type HeldSlot = {
  readonly lease: Lease;
  position: number;
  /** Monotonic time after which no new work may start, because the lease is about to expire. */
  workUntil: number;
  /** A batch is in progress; it is finished before the slot is released. */
  busy: boolean;
  /** Monotonic time at which a hole was first seen at this position. */
  hiddenSince?: number | undefined;
};

type Membership = Readonly<{
  reader: string;
  owner: string;
  leaseMilliseconds: number;
  isStalled: () => boolean;
  now: () => number;
}>;

/** Prefix of the name of a stalled member. A process of an older version ignores it and gives the member a share. */
const STALLED = 'stalled ';

/** The slots that one process holds for a reader: its share, and slots that it still works on although its share has shrunk. */
export class HeldSlots {
  readonly #held = new Map<number, HeldSlot>();
  #share: ReadonlySet<number> = new Set();
  #members: readonly string[] = [];
  /** The name under which this process is a member, with the prefix if it is stalled. */
  #name: string;

  constructor(
    private readonly leases: FeedLeases,
    private readonly slots: number,
    private readonly membership: Membership,
  ) {
    this.#name = membership.owner;
  }

  /** All members of the reader at the last renewal. */
  get members(): readonly string[] {
    return this.#members;
  }

  get all(): readonly HeldSlot[] {
    return [...this.#held.values()];
  }

  /** The held slots in which a batch may start now. */
  get workable(): readonly HeldSlot[] {
    return this.all.filter((slot) => this.isHeld(slot) && !this.isUnwanted(slot));
  }

  /** Whether this process is certainly the only one that works on the slot. */
  isHeld(slot: HeldSlot): boolean {
    return this.#held.get(slot.lease.slot) === slot && this.membership.now() < slot.workUntil;
  }

  /** Whether the slot belongs to the share of another process. */
  isUnwanted({ lease }: HeldSlot): boolean {
    return !this.#share.has(lease.slot);
  }

  /**
   * Renews the membership and the leases, and releases slots outside the share. Stalled members have a share only if all are stalled.
   * Returns whether the share is complete.
   */
  async renew(): Promise<boolean> {
    const { reader, owner, leaseMilliseconds, now } = this.membership;
    const names = await this.#join();
    this.#members = [...new Set(names.map((name) => (name.startsWith(STALLED) ? name.slice(STALLED.length) : name)))];
    const working = names.filter((name) => !name.startsWith(STALLED));
    this.#share = new Set(slotShares(working.length > 0 ? working : this.#members, this.slots).get(owner));
    await this.#giveUp(this.all.filter((slot) => this.isUnwanted(slot) && !slot.busy));
    const wanted = new Set([...this.#share, ...this.#held.keys()]);
    // Measured before the request, so the lease expires later than calculated here.
    const began = now();
    const leases = await this.leases.take(reader, owner, [...wanted], leaseMilliseconds);
    this.#hold(leases, began + (leaseMilliseconds * 2) / 3);
    return leases.length === wanted.size;
  }

  /** Forgets a slot that another process holds now. */
  lose(slot: HeldSlot): void {
    if (this.#held.get(slot.lease.slot) === slot) this.#held.delete(slot.lease.slot);
  }

  async leave(): Promise<void> {
    if (this.#members.length === 0) return;
    await this.#giveUp(this.all);
    await this.leases.leave(this.membership.reader, this.#name);
  }

  async #join(): Promise<string[]> {
    const { reader, owner, leaseMilliseconds, isStalled } = this.membership;
    const name = isStalled() ? `${STALLED}${owner}` : owner;
    if (name !== this.#name) await this.leases.leave(reader, this.#name);
    this.#name = name;
    return this.leases.join(reader, name, leaseMilliseconds);
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

/**
 * Distributes the slots over the members. All processes that know the same members compute the same shares. Sizes differ by at most one,
 * and a member that joins or leaves moves few slots other than its own.
 *
 * Bounded rendezvous hashing: each pair of slot and member has a score, and the best pairs are matched first.
 */
export function slotShares(members: readonly string[], slots: number): Map<string, number[]> {
  const shares = new Map(members.map((member) => [member, [] as number[]]));
  const size = Math.floor(slots / shares.size);
  let larger = slots % shares.size;
  const taken = new Set<number>();
  for (const { slot, member } of byScore([...shares.keys()], slots)) {
    const share = shares.get(member) ?? [];
    if (taken.has(slot) || share.length > size || (share.length === size && larger === 0)) continue;
    if (share.length === size) larger--;
    share.push(slot);
    taken.add(slot);
  }
  return shares;
}

function byScore(members: readonly string[], slots: number) {
  const pairs = members.flatMap((member) =>
    Array.from({ length: slots }, (_, slot) => ({ slot, member, score: hash('sha256', `${slot}/${member}`) })),
  );
  return pairs.toSorted((left, right) => (left.score < right.score ? -1 : 1));
}
