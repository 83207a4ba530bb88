import { FeedLeases, LeaseLost, type Lease, type SlotProgress } from '../src/feed/feed-leases.js';

type Held = Lease & Readonly<{ until: number }>;

/** The simplest leases that several processes share, in memory and on the clock of `Date`. */
export class ModelFeedLeases extends FeedLeases {
  /** When the membership of each owner expires, by reader. */
  readonly #members = new Map<string, Map<string, number>>();
  /** The last lease of each slot, by reader. `until` is 0 once it was released. */
  readonly #slots = new Map<string, Map<number, Held>>();

  async join(reader: string, owner: string, milliseconds: number): Promise<string[]> {
    const members = this.#members.get(reader) ?? new Map<string, number>();
    this.#members.set(reader, members.set(owner, Date.now() + milliseconds));
    return [...members].filter(([each, until]) => each === owner || until > Date.now()).map(([each]) => each);
  }

  async take(reader: string, owner: string, slots: readonly number[], milliseconds: number): Promise<Lease[]> {
    const taken = this.#of(reader);
    return slots.flatMap((slot) => {
      const before = taken.get(slot) ?? { owner, epoch: 1, position: 0, until: 1 };
      if (before.owner !== owner && before.until > Date.now()) return [];
      const epoch = before.owner === owner && before.until > 0 ? before.epoch : before.epoch + 1;
      const lease = { reader, slot, owner, epoch, position: before.position };
      taken.set(slot, { ...lease, until: Date.now() + milliseconds });
      return [lease];
    });
  }

  async release(leases: readonly Lease[]): Promise<void> {
    for (const lease of leases) this.#change(lease, { until: 0 });
  }

  async remove(leases: readonly Lease[]): Promise<void> {
    for (const lease of leases) if (this.#change(lease, {})) this.#of(lease.reader).delete(lease.slot);
  }

  async leave(reader: string, owner: string): Promise<void> {
    this.#members.get(reader)?.delete(owner);
  }

  async advance(lease: Lease, position: number): Promise<void> {
    const before = this.#of(lease.reader).get(lease.slot)?.position ?? 0;
    if (!this.#change(lease, { position: Math.max(before, position) })) throw new LeaseLost(lease);
  }

  async readers(): Promise<string[]> {
    const isRead = (slots: ReadonlyMap<number, Held>) => [...slots.values()].some(({ until }) => until > Date.now());
    return [...this.#slots].filter(([, slots]) => isRead(slots)).map(([reader]) => reader);
  }

  async now(): Promise<number> {
    return Date.now();
  }

  async progress(reader: string): Promise<SlotProgress[]> {
    return [...this.#of(reader).values()]
      .map(({ slot, position, owner, until }) => ({ slot, position, owner: until > Date.now() ? owner : undefined }))
      .toSorted((left, right) => left.slot - right.slot);
  }

  #of(reader: string): Map<number, Held> {
    const slots = this.#slots.get(reader) ?? new Map<number, Held>();
    this.#slots.set(reader, slots);
    return slots;
  }

  /** Changes a lease. Returns false if it is no longer the last one of its slot, or was released. */
  #change({ reader, slot, owner, epoch }: Lease, change: Partial<Held>): boolean {
    const held = this.#of(reader).get(slot);
    if (held?.owner !== owner || held.epoch !== epoch || held.until === 0) return false;
    this.#of(reader).set(slot, { ...held, ...change });
    return true;
  }
}
