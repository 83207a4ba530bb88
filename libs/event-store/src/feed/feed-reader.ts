import { setTimeout as sleep } from 'node:timers/promises';
import type { Commit } from '../commit.js';
import type { EventStore } from '../event-store.js';
import { WakeUp } from './wake-up.js';
import { Failures } from './failures.js';
import type { FeedLeases } from './feed-leases.js';
import { HeldSlots } from './held-slots.js';
import { SlotReader } from './slot-reader.js';

/** Times in milliseconds. */
export type FeedReaderOptions = Readonly<{
  /** Whose checkpoints these are. */
  reader: string;
  /** This process, by a name that no other has or had. */
  owner: string;
  /**
   * Does what the reader is there for, with the commits of one slot in their order. The checkpoint moves when it is done, so after a
   * crash it gets commits again. A long piece of work asks `held` before each step: false when others may have the slot by now.
   */
  handle(commits: readonly Commit[], held: () => boolean): Promise<void>;
  /** Called at the end of every look at the feed, at least once a second. */
  afterLook?(): Promise<void>;
  /** Told once of what goes wrong for as long as it lasts; the reader tries again. */
  onError(error: unknown): void;
  /** For how long slots are taken; renewed every third of it, so those of a process that died are read on after 4/3 of it at most. */
  leaseMilliseconds?: number;
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
/** How often the feed is looked at without a ring, and what failed is tried again. */
const POLL_INTERVAL = 1_000;
/** Between two looks, so that commits of a busy time are read together. */
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
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: EventStore,
    leases: FeedLeases,
    private readonly options: FeedReaderOptions,
  ) {
    const { reader, owner, leaseMilliseconds = LEASE, now = () => performance.now() } = options;
    this.#leaseMilliseconds = leaseMilliseconds;
    this.#failures = new Failures((error) => options.onError(error));
    this.#held = new HeldSlots(leases, store.slots, { reader, owner, leaseMilliseconds, now });
    this.#slots = new SlotReader(store, leases, this.#held, {
      handle: (commits, held) => options.handle(commits, held),
      holeMilliseconds: options.holeMilliseconds ?? HOLE_AGE,
      now,
      onUnwanted: () => this.#released.ring(),
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
    for (const bell of [this.#appended, this.#released]) bell.ring();
    await this.#running;
    await this.#held.leave().catch((error: unknown) => this.#failures.failed('leases', error));
  }

  /** Whether this process may work on a slot now. */
  holds(slot: number): boolean {
    return this.#held.all.some((held) => held.lease.slot === slot && this.#held.isHeld(held));
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
          this.#appended.ring();
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
      const look = await this.#slots.look();
      calm = look === 'read' ? calm + 1 : 0;
      if (look === 'wait') await sleep(REST);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    const end = this.store.onAppended(() => this.#appended.ring());
    while (!signal.aborted) {
      try {
        const look = await this.#slots.look();
        await this.options.afterLook?.();
        this.#failures.worked('reading');
        if (look === 'more') continue;
        await sleep(REST, undefined, { signal }).catch(() => undefined);
        await this.#appended.wait(POLL_INTERVAL - REST);
      } catch (error) {
        this.#failures.failed('reading', error);
        await sleep(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
      }
    }
    end();
  }
}
