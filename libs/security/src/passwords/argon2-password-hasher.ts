import { KeyedQueue } from '@keyfold/concurrency';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { FairQueue } from './fair-queue.js';
import { unwrap } from './openlist-hash.js';
import { HashQueueFull, PasswordHasher, type HashGroups } from './password-hasher.js';

/** The cost parameters of argon2: memory in KiB, passes, lanes. */
export type Argon2Cost = Readonly<{ memoryCost: number; timeCost: number; parallelism: number }>;

/** The minimum of OWASP and ASVS 5 (appendix C) for argon2id with two passes: 19 MiB. */
const DEFAULT_COST: Argon2Cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** Stored hashes that cost more are not verified, so that a forged one cannot stall the process. */
const MAX_COST: Argon2Cost = { memoryCost: 1024 * 1024, timeCost: 10, parallelism: 16 };

/** Maximum number of hashes that one actor may have waiting. */
export const WAITING_PER_ACTOR = 200;

type Waiter = Readonly<{ start: () => void; refuse: (error: HashQueueFull) => void }>;

/**
 * Hashes passwords with argon2id. At most `concurrency` hashes run at once, because they share libuv's few threads with file access and DNS
 * lookups. At most `maxWaiting` hashes wait, and their groups take turns. When the queue overflows, the last hash of the largest group is
 * refused with `HashQueueFull`: a flood of logins only displaces its own hashes.
 */
export class Argon2PasswordHasher extends PasswordHasher {
  refused = 0;
  running = 0;
  private readonly queue = new FairQueue<Waiter>();
  private readonly actors = new KeyedQueue();
  private meanMs = 0;

  /**
   * `onHashed` receives the duration of each hash without its time in the queue. `cost` exists for tests, which would otherwise spend
   * most of their time on hashes.
   */
  constructor(
    private readonly options: Readonly<{
      concurrency: number;
      maxWaiting: number;
      cost?: Argon2Cost;
      onHashed?: (seconds: number) => void;
    }>,
  ) {
    super();
  }

  get waiting(): number {
    return this.queue.size;
  }

  async hash(staticHash: string, groups?: HashGroups): Promise<string> {
    return this.queued(groups, () => hash(staticHash, this.options.cost ?? DEFAULT_COST));
  }

  async hashFor(actor: string, staticHash: string): Promise<string> {
    if (this.actors.size(actor) > WAITING_PER_ACTOR) throw new HashQueueFull();
    return this.actors.run(actor, () => this.hash(staticHash, ['known', actor]));
  }

  async verify(staticHash: string, passwordHash: string, groups?: HashGroups): Promise<boolean> {
    const { text, argon2 } = unwrap(staticHash, passwordHash);
    if (!isAffordable(argon2)) return false;
    return this.queued(groups, () => verify(argon2, text));
  }

  private async queued<T>(groups: HashGroups = [], work: () => Promise<T>): Promise<T> {
    if (this.running < this.options.concurrency) this.running += 1;
    else await this.waitForSlot(groups);
    try {
      return await this.timed(work);
    } finally {
      this.releaseSlot();
    }
  }

  /** Resolves when a finished hash passes on its slot. */
  private waitForSlot(groups: HashGroups): Promise<void> {
    return new Promise((start, refuse) => {
      this.queue.push(groups, { start, refuse });
      if (this.queue.size <= this.options.maxWaiting) return;
      this.refused += 1;
      const dropped = this.queue.dropFromLargest();
      const hashes = this.running + this.waiting;
      const seconds = secondsToDrain({ hashes, meanMs: this.meanMs, concurrency: this.options.concurrency });
      dropped?.refuse(new HashQueueFull(seconds));
    });
  }

  private releaseSlot(): void {
    const next = this.queue.next();
    if (next) next.start();
    else this.running -= 1;
  }

  private async timed<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await work();
    const ms = performance.now() - start;
    this.options.onHashed?.(ms / 1_000);
    this.meanMs = this.meanMs === 0 ? ms : this.meanMs + (ms - this.meanMs) / 16;
    return result;
  }
}

/** Returns how long the hashes of a queue will take, in whole seconds, at least 1. */
export function secondsToDrain(queue: Readonly<{ hashes: number; meanMs: number; concurrency: number }>): number {
  const ms = (queue.hashes / queue.concurrency) * queue.meanMs;
  return Math.max(1, Math.ceil(ms / 1000));
}

function isAffordable(passwordHash: string): boolean {
  if (!passwordHash.startsWith('$argon2id$')) return false;
  try {
    const cost = parseOptions(passwordHash);
    return (
      cost.memoryCost <= MAX_COST.memoryCost &&
      cost.timeCost <= MAX_COST.timeCost &&
      cost.parallelism <= MAX_COST.parallelism
    );
  } catch {
    return false;
  }
}
