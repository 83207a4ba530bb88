import { hash, parseOptions, verify } from '@node-rs/argon2';
import { FairQueue } from './fair-queue.js';
import { HashQueueFull, PasswordHasher, type HashAsker } from './password-hasher.js';

/** Memory in KiB, passes, lanes. */
export type Argon2Cost = Readonly<{ memoryCost: number; timeCost: number; parallelism: number }>;

/** The least that OWASP and ASVS 5 (appendix C) ask of argon2id with two passes: 19 MiB. */
const DEFAULT_COST: Argon2Cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** A stored hash beyond this is not worked on: whoever can write one must not be able to stop the process with it. */
const MAX_COST: Argon2Cost = { memoryCost: 1024 * 1024, timeCost: 10, parallelism: 16 };

type Waiting = Readonly<{ begin: () => void; refuse: (error: HashQueueFull) => void }>;

/**
 * argon2id. At most `concurrency` hashes run at once (they share the few threads of libuv with file and name look-ups) and at most
 * `maxWaiting` wait. Those who ask take turns. Of one more than may wait, the last of whoever waits for most is refused with
 * `HashQueueFull`: a flood of logins stays a short queue, and keeps nobody else out of it.
 */
export class Argon2PasswordHasher extends PasswordHasher {
  refused = 0;
  running = 0;
  private readonly queue = new FairQueue<Waiting>();
  private readonly concurrency: number;
  private readonly maxWaiting: number;
  private readonly cost: Argon2Cost;
  private readonly onHashed: ((seconds: number) => void) | undefined;
  private meanMs = 0;

  /** `onHashed` is told how long each hash took, without its waiting. */
  constructor(
    options: Readonly<{
      concurrency: number;
      maxWaiting: number;
      cost?: Argon2Cost;
      onHashed?: (seconds: number) => void;
    }>,
  ) {
    super();
    this.concurrency = options.concurrency;
    this.maxWaiting = options.maxWaiting;
    this.cost = options.cost ?? DEFAULT_COST;
    this.onHashed = options.onHashed;
  }

  get waiting(): number {
    return this.queue.size;
  }

  async hash(staticHash: string, asker?: HashAsker): Promise<string> {
    return this.inTurn(asker, () => hash(staticHash, this.cost));
  }

  async verify(staticHash: string, passwordHash: string, asker?: HashAsker): Promise<boolean> {
    if (!isWorkable(passwordHash)) return false;
    return this.inTurn(asker, () => verify(passwordHash, staticHash));
  }

  private async inTurn<T>(asker: HashAsker = [], work: () => Promise<T>): Promise<T> {
    if (this.running < this.concurrency) this.running += 1;
    else await this.turn(asker);
    try {
      return await this.timed(work);
    } finally {
      this.leave();
    }
  }

  /** Resolves when a hash that ended has left its place. */
  private turn(asker: HashAsker): Promise<void> {
    return new Promise((begin, refuse) => {
      this.queue.push(asker, { begin, refuse });
      if (this.queue.size <= this.maxWaiting) return;
      this.refused += 1;
      this.queue.dropOfLongest()?.refuse(new HashQueueFull(this.secondsUntilDone()));
    });
  }

  private leave(): void {
    const next = this.queue.next();
    if (next) next.begin();
    else this.running -= 1;
  }

  private async timed<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await work();
    const took = performance.now() - start;
    this.onHashed?.(took / 1_000);
    this.meanMs = this.meanMs === 0 ? took : this.meanMs + (took - this.meanMs) / 16;
    return result;
  }

  private secondsUntilDone(): number {
    return secondsToDrain({
      hashes: this.running + this.waiting,
      meanMs: this.meanMs,
      concurrency: this.concurrency,
    });
  }
}

/** Whole seconds, at least 1, in which so many hashes of this mean time are done. */
export function secondsToDrain(queue: Readonly<{ hashes: number; meanMs: number; concurrency: number }>): number {
  const ms = (queue.hashes / queue.concurrency) * queue.meanMs;
  return Math.max(1, Math.ceil(ms / 1000));
}

function isWorkable(passwordHash: string): boolean {
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
