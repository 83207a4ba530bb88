import { feedLag, FeedReader, type CommitFeed, type FeedLag, type FeedLeases } from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { RelayParts } from './account-relay.js';
import type { Outlet } from './outlet.js';
import type { ParkedAccount, ParkedAccounts } from './parked-accounts.js';
import { SlotRelay } from './slot-relay.js';

export type RelayOptions = Readonly<{
  /** Called once for each failure until the relay has recovered from it. */
  onError(error: unknown): void;
  /** Called for each account that is parked. */
  onParked(record: ParkedAccount): void;
  /** Milliseconds that a lease of a slot lasts. */
  leaseMilliseconds?: number;
}>;

/** The state of the relay in this process and of the slots that it holds. */
export type RelayStatus = Readonly<{
  /** All processes that run a relay to this outlet, including this one. */
  members: readonly string[];
  slots: number;
  /** Whether the store is unreachable or a slot fails. */
  failing: boolean;
  /** Why the outlet takes nothing of the held slots although it is reachable. */
  problem: string | undefined;
  /** Number of parked accounts. */
  parked: number;
}>;

/** Enough to fill the window of a publisher, although each account has only one delivery in flight. */
const PARALLEL_SLOTS = 32;
/** Milliseconds; less than the time after which a process stops working under an old lease. */
const PAGE_TIMEOUT = 5_000;
/** Milliseconds between two searches for parked accounts in idle slots, and between two attempts to retry known ones. */
const FIND_PARKED_INTERVAL = 30_000;
const RETRY_PARKED_INTERVAL = 1_000;

const now = () => performance.now();

/**
 * Delivers every commit of the feed to an outlet, at least once and in order for each account. Several relays to one outlet share the slots
 * of the feed. While the outlet is not ready, the relay reads nothing.
 */
export class Relay {
  readonly #feed: FeedReader;
  readonly #slots = new Map<number, SlotRelay>();
  readonly #parts: RelayParts;
  #stopListening: () => void = () => undefined;
  #foundParkedAt = -Infinity;
  /** The slots that were held then, with the epochs of their leases. */
  readonly #foundParkedIn = new Map<number, number>();
  #retriedParkedAt = -Infinity;

  constructor(
    private readonly commits: CommitFeed,
    private readonly outlet: Outlet,
    leases: FeedLeases,
    private readonly parked: ParkedAccounts,
    private readonly options: RelayOptions,
  ) {
    const { leaseMilliseconds, onParked } = options;
    this.#parts = { feed: commits, outlet, parked, onParked, clock: Date.now, now, pageTimeout: PAGE_TIMEOUT };
    this.#feed = new FeedReader(commits, leases, {
      reader: outlet.name,
      owner: `${hostname()}:${process.pid}:${randomUUID()}`,
      minPollMilliseconds: outlet.readInterval,
      parallelSlots: PARALLEL_SLOTS,
      ...(leaseMilliseconds === undefined ? {} : { leaseMilliseconds }),
      now,
      isReady: () => outlet.isReady,
      isStalled: () => outlet.isStalled,
      handle: (commits, held, { slot, epoch }) => this.#slotRelay(slot, epoch).handle(commits, held),
      afterPoll: () => this.#retryParked(),
      onError: (error) => options.onError(error),
    });
  }

  start(): void {
    this.#stopListening = this.outlet.onReady(() => this.#feed.readAgain());
    this.#feed.start();
  }

  /** Finishes the current pages, waiting a few seconds at most, and releases the slots. */
  async stop(): Promise<void> {
    this.#stopListening();
    await this.#feed.stop();
  }

  status(): RelayStatus {
    const { members, positions, failing } = this.#feed.status();
    const held = [...this.#slots].filter(([slot, { epoch }]) => this.#feed.leaseOf(slot)?.epoch === epoch);
    return {
      members,
      slots: positions.size,
      failing,
      // Reported only for stalled slots: the outlet keeps its problem after the slot went to another process.
      problem: held.some(([, { isStalled }]) => isStalled) ? this.outlet.problem : undefined,
      parked: held.reduce((sum, [, { parkedAccounts }]) => sum + parkedAccounts, 0),
    };
  }

  /**
   * Reads from the store how much waits to be sent in the held slots, not counting parked accounts.
   *
   * @throws StoreUnavailable
   */
  lag(): Promise<FeedLag> {
    return feedLag(this.commits, this.#feed.status().positions);
  }

  #slotRelay(slot: number, epoch: number): SlotRelay {
    const known = this.#slots.get(slot);
    if (known?.epoch === epoch) return known;
    const created = new SlotRelay(slot, epoch, this.#parts);
    this.#slots.set(slot, created);
    return created;
  }

  /** Does not wait for the accounts, which may have much to catch up on. */
  async #retryParked(): Promise<void> {
    if (!this.outlet.isReady || now() - this.#retriedParkedAt < RETRY_PARKED_INTERVAL) return;
    this.#retriedParkedAt = now();
    await this.#findParked();
    const { positions } = this.#feed.status();
    const retrying = [...this.#slots].filter(
      ([slot, relay]) => relay.hasParked && this.#feed.leaseOf(slot)?.epoch === relay.epoch,
    );
    if (retrying.length === 0) return;
    for (const { slot, partition } of await this.parked.takeRetries(retrying.map(([slot]) => slot)))
      this.#slots.get(slot)?.retryAtOnce(partition);
    for (const [slot, relay] of retrying) {
      const held = () => this.#feed.leaseOf(slot)?.epoch === relay.epoch;
      void relay.retryParked(positions.get(slot) ?? 0, held).catch((error: unknown) => this.options.onError(error));
    }
  }

  /** Finds parked accounts in slots without new commits, at once in those that were taken over. */
  async #findParked(): Promise<void> {
    const slots = [...this.#feed.status().positions.keys()];
    const held = new Map(slots.map((slot) => [slot, this.#feed.leaseOf(slot)?.epoch]));
    const isDue = now() - this.#foundParkedAt >= FIND_PARKED_INTERVAL;
    const isNew = [...held].some(([slot, epoch]) => epoch !== undefined && epoch !== this.#foundParkedIn.get(slot));
    if (slots.length === 0 || !(isDue || isNew)) return;
    for (const slot of new Set((await this.parked.all()).map((parked) => parked.slot))) {
      const lease = this.#feed.leaseOf(slot);
      if (lease) await this.#slotRelay(slot, lease.epoch).removeStale();
    }
    this.#foundParkedAt = now();
    for (const [slot, epoch] of held) if (epoch !== undefined) this.#foundParkedIn.set(slot, epoch);
  }
}
