import { feedLag, FeedLeases, FeedReader, type EventStore, type FeedLag } from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { MessageTraces } from '../message-traces.js';
import type { EventPublisher } from './event-publisher.js';
import type { ParkedAccount, ParkedAccounts } from './parked-accounts.js';
import type { MessagesOf } from './relay-parts.js';
import { RelayCounter, type RelayStatus } from './relay-status.js';
import { SlotRelay } from './slot-relay.js';

/** The reader of the feed whose checkpoints say what was published. */
export const relayName = 'relay';

/** Where the relay's checkpoints lie: beside the log, so that they are lost or restored with it and with nothing else. */
export abstract class RelayLeases extends FeedLeases {}

/** Times in milliseconds. */
export type RelayOptions = Readonly<{
  /** Told once of what goes wrong for as long as it lasts. */
  onError(error: unknown): void;
  /** Told of every account that is parked. */
  onParked(record: ParkedAccount): void;
  leaseMilliseconds?: number;
  /** The least time between two looks at the feed. */
  restMilliseconds?: number;
  /** How long a page is waited for before the slot may go to others. */
  pageMilliseconds?: number;
  traces?: MessageTraces | undefined;
  /** Unix time. */
  clock?(): number;
  /** Monotonic time. */
  now?(): number;
}>;

const REST = 2;
/** So many that the accounts of their pages fill the publisher's window, though each has one message in flight. */
const PARALLEL_SLOTS = 32;
/** Less than the time after which a lease is worked on no more. */
const PAGE_PATIENCE = 5_000;
const LOOK_FOR_PARKED_AFTER = 30_000;
const LOOK_AT_PARKED_AFTER = 1_000;

/**
 * Publishes every commit of the feed, at least once and in the order of each account. Several relays share the slots of the feed. While
 * the broker takes nothing, nothing is read; it goes on when the broker is back.
 */
export class Relay {
  readonly #feed: FeedReader;
  readonly #slots = new Map<number, SlotRelay>();
  readonly #counter = new RelayCounter();
  readonly #now: () => number;
  #stopListening: () => void = () => undefined;
  #lookedForParkedAt = -Infinity;
  #lookedAtParkedAt = -Infinity;

  constructor(
    private readonly store: EventStore,
    private readonly publisher: EventPublisher,
    leases: FeedLeases,
    private readonly parked: ParkedAccounts,
    private readonly messagesOf: MessagesOf,
    private readonly options: RelayOptions,
  ) {
    const { leaseMilliseconds, restMilliseconds = REST, now = () => performance.now() } = options;
    this.#now = now;
    this.#feed = new FeedReader(store, leases, {
      reader: relayName,
      owner: `${hostname()}:${process.pid}:${randomUUID()}`,
      restMilliseconds,
      parallelSlots: PARALLEL_SLOTS,
      ...(leaseMilliseconds === undefined ? {} : { leaseMilliseconds }),
      now,
      isReady: () => publisher.isReady,
      handle: (commits, held, { slot, epoch }) => this.#slotRelay(slot, epoch).handle(commits, held),
      afterLook: () => this.#retryParked(),
      onError: (error) => options.onError(error),
    });
  }

  /** Follows the feed until `stop`. */
  start(): void {
    this.#stopListening = this.publisher.onReady(() => this.#feed.readAgain());
    this.#feed.start();
  }

  /** Finishes the pages at hand, as far as the broker lets it within some seconds, and leaves the slots to others. */
  async stop(): Promise<void> {
    this.#stopListening();
    await this.#feed.stop();
  }

  status(): RelayStatus {
    const { members, positions, failing } = this.#feed.status();
    const held = [...this.#slots].filter(([slot, { epoch }]) => this.#feed.leaseOf(slot)?.epoch === epoch);
    const { published, refused, retried, confirms, pages } = this.#counter;
    return {
      members,
      slots: positions.size,
      failing,
      brokerReady: this.publisher.isReady,
      // It outlives its cause when the slot goes to others, who tell of it then.
      problem: held.some(([, { isHeldUp }]) => isHeldUp) ? this.publisher.problem : undefined,
      parked: held.reduce((sum, [, { parkedAccounts }]) => sum + parkedAccounts, 0),
      published,
      refused,
      retried,
      confirms,
      pages,
    };
  }

  /** What waits to be sent in the held slots, parked accounts apart; it looks into the store. Throws `StoreUnavailable`. */
  lag(): Promise<FeedLag> {
    return feedLag(this.store, this.#feed.status().positions);
  }

  #slotRelay(slot: number, epoch: number): SlotRelay {
    const known = this.#slots.get(slot);
    if (known?.epoch === epoch) return known;
    const { store, publisher, parked, messagesOf } = this;
    const { clock = Date.now, pageMilliseconds = PAGE_PATIENCE, onParked, traces } = this.options;
    const made = new SlotRelay(slot, epoch, {
      store,
      publisher,
      parked,
      messagesOf,
      onParked,
      traces,
      clock,
      counter: this.#counter,
      now: this.#now,
      patience: pageMilliseconds,
    });
    this.#slots.set(slot, made);
    return made;
  }

  /** Beside the reading, which does not wait for it: an account may have much to catch up on. */
  async #retryParked(): Promise<void> {
    if (!this.publisher.isReady || this.#now() - this.#lookedAtParkedAt < LOOK_AT_PARKED_AFTER) return;
    this.#lookedAtParkedAt = this.#now();
    await this.#findParked();
    const { positions } = this.#feed.status();
    for (const [slot, relay] of this.#slots) {
      const held = () => this.#feed.leaseOf(slot)?.epoch === relay.epoch;
      if (!held() || !relay.hasParked) continue;
      void relay.retryParked(positions.get(slot) ?? 0, held).catch((error: unknown) => this.options.onError(error));
    }
  }

  /** Slots in which nothing happens any more may have accounts that wait. */
  async #findParked(): Promise<void> {
    const isDue = this.#now() - this.#lookedForParkedAt >= LOOK_FOR_PARKED_AFTER;
    if (!isDue || this.#feed.status().positions.size === 0) return;
    for (const { slot } of await this.parked.all()) {
      const lease = this.#feed.leaseOf(slot);
      if (lease) await this.#slotRelay(slot, lease.epoch).removeStale();
    }
    this.#lookedForParkedAt = this.#now();
  }
}
