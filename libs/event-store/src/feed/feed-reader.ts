import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../event-store.errors.js';
import type { CommitFeed } from './commit-feed.js';
import type { FeedLeases, Lease } from './feed-leases.js';
import { HeldSlots } from './held-slots.js';
import { allOf, FEED_PAGE, SlotReader, type Batch, type HandlePage } from './slot-reader.js';

export { FEED_PAGE, type Handled, type HandlePage } from './slot-reader.js';

/** Times in milliseconds. */
export type FeedReaderOptions = Readonly<{
  /** Name of the reader whose checkpoints these are. */
  reader: string;
  /** Unique name of this process; no other process has ever had it. */
  owner: string;
  /**
   * Handles the commits of one slot, in order. The checkpoint moves past what is done, so a crash delivers commits again. Long work
   * calls `held` before each step: it returns false when another process may hold the slot. Return within seconds, done or not:
   * this process cannot release the slot earlier. Other slots are read in the meantime.
   */
  handle: HandlePage;
  /** Whether to read now. Call `readAgain` when it becomes true. */
  isReady?(): boolean;
  /** Whether this process makes no progress for a reason of its own. Its slots then go to members that do, if there are any. */
  isStalled?(): boolean;
  /** Called after every poll of the feed, at least once a second. */
  afterPoll?(): Promise<void>;
  /** Reports each failure once while it lasts; the reader retries. */
  onError(error: unknown): void;
  /** Duration of a lease, renewed every third of it. The slots of a dead process are taken over after at most 4/3 of it. */
  leaseMilliseconds?: number;
  /** False for a reader that nobody waits for: it reads once a second, in larger pages, and not after each append. */
  listens?: boolean;
  /** Minimum time between two polls of a reader that listens, so that pages are larger under load. */
  minPollMilliseconds?: number;
  pageSize?: number;
  parallelSlots?: number;
  /** Age at which a hole is closed; until then a process may still be writing there. Tests shorten it. */
  holeMilliseconds?: number;
  /** Monotonic clock. Tests move it. */
  now?(): number;
}>;

export type FeedReaderStatus = Readonly<{
  members: readonly string[];
  /** Position reached in each held slot. */
  positions: ReadonlyMap<number, number>;
  failing: boolean;
}>;

const LEASE = 10_000;
const HOLE_AGE = 2_000;
const PARALLEL_SLOTS = 8;
/** How often all slots are polled without a signal, and failures are retried. */
const POLL_INTERVAL = 1_000;
const MIN_POLL_INTERVAL = 50;

/**
 * Reads the feed for one reader, shared with other processes: each has its share of the slots. One process at a time reads a slot, in
 * order. No position is skipped: a hole is closed before any commit behind it is read.
 */
export class FeedReader {
  readonly #held: HeldSlots;
  readonly #leaseMilliseconds: number;
  readonly #slots: SlotReader;
  readonly #failures: Failures;
  readonly #appended = new WakeUp();
  readonly #released = new WakeUp();
  /** Signalled when a page was full, so that the next one is read at once. */
  readonly #full = new WakeUp();
  readonly #stopping = new AbortController();
  readonly #toRead: SlotsToRead;
  /** Slots whose latest batch failed. */
  readonly #failed = new Set<number>();
  readonly #minPollInterval: number;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly feed: CommitFeed,
    leases: FeedLeases,
    private readonly options: FeedReaderOptions,
  ) {
    const { reader, owner, listens = true, leaseMilliseconds = LEASE, now = () => performance.now() } = options;
    this.#leaseMilliseconds = leaseMilliseconds;
    this.#minPollInterval = listens ? (options.minPollMilliseconds ?? MIN_POLL_INTERVAL) : POLL_INTERVAL;
    this.#toRead = new SlotsToRead(Math.max(POLL_INTERVAL - this.#minPollInterval, POLL_INTERVAL / 2));
    this.#failures = new Failures((error) => options.onError(error));
    const isStalled = () => options.isStalled?.() ?? false;
    this.#held = new HeldSlots(leases, feed.slots, { reader, owner, leaseMilliseconds, isStalled, now });
    this.#slots = new SlotReader(feed, leases, this.#held, {
      handle: (commits, held, lease) => options.handle(commits, held, lease),
      isReady: () => options.isReady?.() ?? true,
      pageSize: options.pageSize ?? FEED_PAGE,
      parallelSlots: options.parallelSlots ?? PARALLEL_SLOTS,
      holeMilliseconds: options.holeMilliseconds ?? HOLE_AGE,
      now,
      onUnwanted: () => this.#released.signal(),
      onReadable: (slot) => this.#readSoon(slot),
      stopping: this.#stopping.signal,
    });
  }

  /** Follows the feed until `stop`. */
  start(): void {
    this.#running = this.#holding(() => this.#follow());
  }

  /**
   * Reads the feed to its present end, in the slots that no other process holds; their leases stay taken for `start`. Call it before
   * `start`. Throws what `handle` throws, and `StoreUnavailable`.
   */
  async catchUp(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const caughtUp = this.#held.renew().then(() => this.#holding(() => this.#readAll()));
    this.#running = caughtUp.catch(() => undefined);
    await caughtUp;
  }

  /** Finishes the current batches, then releases the slots. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const wakeUp of [this.#appended, this.#released, this.#full]) wakeUp.signal();
    await this.#running;
    await this.#held.leave().catch((error: unknown) => this.#failures.failed('leases', error));
  }

  holds(slot: number): boolean {
    return this.leaseOf(slot) !== undefined;
  }

  /** Returns the lease of a slot if this process may work on it now. */
  leaseOf(slot: number): Lease | undefined {
    return this.#held.all.find((held) => held.lease.slot === slot && this.#held.isHeld(held))?.lease;
  }

  /** Reads deferred slots at once, because the reason to wait is gone. */
  readAgain(): void {
    this.#slots.wake();
    this.#readSoon();
  }

  status(): FeedReaderStatus {
    const positions = new Map(this.#held.all.map(({ lease, position }) => [lease.slot, position]));
    return { members: this.#held.members, positions, failing: this.#failures.any };
  }

  /** Renews the leases while the work runs. */
  async #holding(work: () => Promise<void>): Promise<void> {
    const done = new AbortController();
    const renewing = this.#renewUntil(AbortSignal.any([done.signal, this.#stopping.signal]));
    try {
      await work();
    } finally {
      done.abort();
      this.#released.signal();
      await renewing;
    }
  }

  async #renewUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const complete = await this.#held.renew().then(
        (whole) => {
          this.#failures.worked('leases');
          this.#readSoon();
          return whole;
        },
        (error: unknown) => {
          this.#failures.failed('leases', error);
          return false;
        },
      );
      const third = this.#leaseMilliseconds / 3;
      await this.#released.wait(complete ? third : Math.min(third, POLL_INTERVAL));
    }
  }

  async #readAll(): Promise<void> {
    // A short page may end at a hole, which only the next poll finds.
    for (let quiet = 0; quiet < 2 && !this.#stopping.signal.aborted;) {
      const outcomes = await allOf(await this.#slots.poll());
      const waits = outcomes.includes('wait') || this.#slots.isWaiting;
      quiet = waits || outcomes.includes('more') ? 0 : quiet + 1;
      if (waits) await sleep(MIN_POLL_INTERVAL);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    const { listens = true } = this.options;
    const end = listens ? this.feed.onAppended((slot) => this.#readSoon(slot)) : undefined;
    while (!signal.aborted) {
      try {
        const batches = await this.#slots.poll(this.#toRead.take(performance.now()), this.#failed);
        for (const batch of batches) void this.#attend(batch);
        await this.options.afterPoll?.();
        this.#forgetLost();
        this.#failures.worked('reading');
        await this.#full.wait(this.#minPollInterval);
        await this.#appended.wait(Math.max(0, POLL_INTERVAL - this.#minPollInterval));
      } catch (error) {
        this.#failures.failed('reading', error);
        this.#readSoon();
        await sleep(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
      }
    }
    end?.();
    await this.#slots.idle();
  }

  #readSoon(slot?: number): void {
    this.#toRead.add(slot);
    this.#appended.signal();
  }

  async #attend({ slot, outcome }: Batch): Promise<void> {
    try {
      const result = await outcome;
      this.#failures.worked(activityOf(slot));
      this.#failed.delete(slot);
      if (result !== 'more') return;
      this.#full.signal();
      this.#readSoon(slot);
    } catch (error) {
      this.#failures.failed(activityOf(slot), error);
      this.#failed.add(slot);
      this.#slots.defer(slot, POLL_INTERVAL);
    }
  }

  /** Drops the failures of slots that other processes hold now: those processes report them. */
  #forgetLost(): void {
    const held = new Set(this.#held.all.map(({ lease }) => lease.slot));
    for (const slot of this.#failed) {
      if (held.has(slot)) continue;
      this.#failed.delete(slot);
      this.#failures.worked(activityOf(slot));
    }
  }
}

const activityOf = (slot: number) => `slot ${slot}`;

/** Collects the slots to read in the next poll: those with known news, all of them if the slot is unknown, and all at an interval. */
class SlotsToRead {
  readonly #slots = new Set<number>();
  #allReadAt = -Infinity;

  /** `interval`: the longest time between two polls of all slots, in milliseconds. */
  constructor(private readonly interval: number) {}

  /** Adds a slot that has news, or all slots if it is unknown which one. */
  add(slot?: number): void {
    if (slot === undefined) this.#allReadAt = -Infinity;
    else this.#slots.add(slot);
  }

  /** Returns the slots to read now and forgets them; undefined means all. */
  take(now: number): ReadonlySet<number> | undefined {
    const slots = new Set(this.#slots);
    this.#slots.clear();
    if (slots.size > 0 && now - this.#allReadAt < this.interval) return slots;
    this.#allReadAt = now;
    return undefined;
  }
}

/** Reports each failure once while it lasts, even if several activities of a reader meet the same outage. */
class Failures {
  readonly #open = new Map<string, string>();

  constructor(private readonly report: (error: unknown) => void) {}

  failed(activity: string, error: unknown): void {
    const kind = isOutage(error) ? error.name : String(error);
    const known = [...this.#open.values()].includes(kind);
    this.#open.set(activity, kind);
    if (!known) this.report(error);
  }

  worked(activity: string): void {
    this.#open.delete(activity);
  }

  get any(): boolean {
    return this.#open.size > 0;
  }
}

/** Lets one loop sleep until it is signalled or a time is up. A signal while nobody sleeps ends the next sleep at once. */
class WakeUp {
  #signalled = false;
  #wake: (() => void) | undefined;

  signal(): void {
    this.#signalled = true;
    this.#wake?.();
  }

  async wait(milliseconds: number): Promise<void> {
    if (!this.#signalled) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#signalled = false;
    this.#wake = undefined;
  }
}
