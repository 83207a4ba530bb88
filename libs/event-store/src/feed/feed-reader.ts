import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitFeed } from '../commit-feed.js';
import { WakeUp } from './wake-up.js';
import { Failures } from './failures.js';
import type { FeedLeases, Lease } from './feed-leases.js';
import { HeldSlots } from './held-slots.js';
import { RungSlots } from './rung-slots.js';
import { SlotReader, type Batch, type HandlePage } from './slot-reader.js';

export { FEED_PAGE, type Handled, type HandlePage } from './slot-reader.js';

/** Times in milliseconds. */
export type FeedReaderOptions = Readonly<{
  /** Whose checkpoints these are. */
  reader: string;
  /** This process, by a name that no other has or had. */
  owner: string;
  /**
   * Does what the reader is there for, with the commits of one slot in their order. The checkpoint moves over what is done, so after
   * a crash it gets commits again. A long piece of work asks `held` before each step: false when others may have the slot by now.
   * It shall end within seconds, done or not: until then this process does not give the slot up. Other slots are read meanwhile.
   */
  handle: HandlePage;
  /** Whether there is any sense in reading now; when that changes, `readAgain` is to be called. */
  isReady?(): boolean;
  /** Called at the end of every look at the feed, at least once a second. */
  afterLook?(): Promise<void>;
  /** Told once of what goes wrong for as long as it lasts; the reader tries again. */
  onError(error: unknown): void;
  /** For how long slots are taken; renewed every third of it, so those of a process that died are read on after 4/3 of it at most. */
  leaseMilliseconds?: number;
  /** The least time between two looks at the feed, so that commits of a busy time are read together. */
  restMilliseconds?: number;
  /** Slots that are worked on at once, at most. */
  parallelSlots?: number;
  /** How long a free position before a commit is left to the process that may be about to write it. */
  holeMilliseconds?: number;
  /** Monotonic time. */
  now?(): number;
}>;

/** What a reader holds, for health and metrics. */
export type FeedReaderStatus = Readonly<{
  members: readonly string[];
  /** Position reached by slot. */
  positions: ReadonlyMap<number, number>;
  failing: boolean;
}>;

const LEASE = 10_000;
const HOLE_AGE = 2_000;
const PARALLEL_SLOTS = 8;
/** How often the feed is looked at without a ring, and what failed is tried again. */
const POLL_INTERVAL = 1_000;
const REST = 50;

/**
 * Reads the feed for one reader together with other processes: each has its share of the slots. A slot is read in order by one process
 * at a time, and no position is skipped: a hole is closed before anything behind it is read.
 */
export class FeedReader {
  readonly #held: HeldSlots;
  readonly #leaseMilliseconds: number;
  readonly #slots: SlotReader;
  readonly #failures: Failures;
  readonly #appended = new WakeUp();
  readonly #released = new WakeUp();
  /** A page was full: what is behind it does not wait. */
  readonly #full = new WakeUp();
  readonly #stopping = new AbortController();
  readonly #rung: RungSlots;
  /** Slots whose last batch failed. */
  readonly #failed = new Set<number>();
  readonly #rest: number;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly feed: CommitFeed,
    leases: FeedLeases,
    private readonly options: FeedReaderOptions,
  ) {
    const { reader, owner, leaseMilliseconds = LEASE, now = () => performance.now() } = options;
    this.#leaseMilliseconds = leaseMilliseconds;
    this.#rest = options.restMilliseconds ?? REST;
    this.#rung = new RungSlots(POLL_INTERVAL - this.#rest);
    this.#failures = new Failures((error) => options.onError(error));
    this.#held = new HeldSlots(leases, feed.slots, { reader, owner, leaseMilliseconds, now });
    this.#slots = new SlotReader(feed, leases, this.#held, {
      handle: (commits, held, lease) => options.handle(commits, held, lease),
      isReady: () => options.isReady?.() ?? true,
      parallelSlots: options.parallelSlots ?? PARALLEL_SLOTS,
      holeMilliseconds: options.holeMilliseconds ?? HOLE_AGE,
      now,
      onUnwanted: () => this.#released.ring(),
      onReadable: (slot) => this.#ring(slot),
      stopping: this.#stopping.signal,
    });
  }

  /** Follows the feed until `stop`. */
  start(): void {
    this.#running = this.#holding(() => this.#follow());
  }

  /**
   * Works through everything that is in the feed now, in the slots that no other process holds, which stay taken for `start`. To be
   * called before `start`. Throws what `handle` throws, and `StoreUnavailable`.
   */
  async catchUp(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const caughtUp = this.#held.renew().then(() => this.#holding(() => this.#readAll()));
    this.#running = caughtUp.catch(() => undefined);
    await caughtUp;
  }

  /** Finishes the batches at hand, then leaves the slots to others. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const bell of [this.#appended, this.#released, this.#full]) bell.ring();
    await this.#running;
    await this.#held.leave().catch((error: unknown) => this.#failures.failed('leases', error));
  }

  /** Whether this process may work on a slot now. */
  holds(slot: number): boolean {
    return this.leaseOf(slot) !== undefined;
  }

  /** The lease of a slot that this process may work on now. */
  leaseOf(slot: number): Lease | undefined {
    return this.#held.all.find((held) => held.lease.slot === slot && this.#held.isHeld(held))?.lease;
  }

  /** Reads at once what was left for later: the reason to wait is gone. */
  readAgain(): void {
    this.#slots.wake();
    this.#ring();
  }

  status(): FeedReaderStatus {
    const positions = new Map(this.#held.all.map(({ lease, position }) => [lease.slot, position]));
    return { members: this.#held.members, positions, failing: this.#failures.any };
  }

  /** Does the work and renews the leases meanwhile. */
  async #holding(work: () => Promise<void>): Promise<void> {
    const done = new AbortController();
    const renewing = this.#renewUntil(AbortSignal.any([done.signal, this.#stopping.signal]));
    try {
      await work();
    } finally {
      done.abort();
      this.#released.ring();
      await renewing;
    }
  }

  async #renewUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const complete = await this.#held.renew().then(
        (whole) => {
          this.#failures.worked('leases');
          this.#ring();
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
    // A short page may end at a hole, which the next look finds.
    for (let calm = 0; calm < 2 && !this.#stopping.signal.aborted;) {
      const looks = await allOf(await this.#slots.look());
      const waits = looks.includes('wait') || this.#slots.isWaiting;
      calm = waits || looks.includes('more') ? 0 : calm + 1;
      if (waits) await sleep(this.#rest);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    const end = this.feed.onAppended((slot?: number) => this.#ring(slot));
    while (!signal.aborted) {
      try {
        const batches = await this.#slots.look(this.#rung.take(performance.now()), this.#failed);
        for (const batch of batches) void this.#attend(batch);
        await this.options.afterLook?.();
        this.#forgetLost();
        this.#failures.worked('reading');
        await this.#full.wait(this.#rest);
        await this.#appended.wait(Math.max(0, POLL_INTERVAL - this.#rest));
      } catch (error) {
        this.#failures.failed('reading', error);
        this.#ring();
        await sleep(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
      }
    }
    end();
    await this.#slots.idle();
  }

  #ring(slot?: number): void {
    this.#rung.ring(slot);
    this.#appended.ring();
  }

  async #attend({ slot, outcome }: Batch): Promise<void> {
    try {
      const look = await outcome;
      this.#failures.worked(activityOf(slot));
      this.#failed.delete(slot);
      if (look !== 'more') return;
      this.#full.ring();
      this.#ring(slot);
    } catch (error) {
      this.#failures.failed(activityOf(slot), error);
      this.#failed.add(slot);
      this.#slots.rest(slot, POLL_INTERVAL);
    }
  }

  /** What fails in a slot of others is theirs to tell. */
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

/** What all batches came to, or once all have ended, what the first that failed failed with. */
async function allOf(batches: readonly Batch[]) {
  const outcomes = batches.map(({ outcome }) => outcome);
  await Promise.allSettled(outcomes);
  return Promise.all(outcomes);
}
