import { hash, parseOptions, verify } from '@node-rs/argon2';
import pLimit, { type LimitFunction } from 'p-limit';
import { HashQueueFull, PasswordHasher } from './password-hasher.js';

/** Memory in KiB, passes, lanes. */
export type Argon2Cost = Readonly<{ memoryCost: number; timeCost: number; parallelism: number }>;

/** The least that OWASP and ASVS 5 (appendix C) ask of argon2id with two passes: 19 MiB. */
const DEFAULT_COST: Argon2Cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** A stored hash beyond this is not worked on: whoever can write one must not be able to stop the process with it. */
const MAX_COST: Argon2Cost = { memoryCost: 1024 * 1024, timeCost: 10, parallelism: 16 };

/**
 * argon2id. At most `concurrency` hashes run at once (they share the few threads of libuv with file and name look-ups) and at most
 * `maxWaiting` wait; one more is refused at once with `HashQueueFull`, so that a flood of logins stays a short queue.
 */
export class Argon2PasswordHasher extends PasswordHasher {
  refused = 0;
  private readonly limit: LimitFunction;
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
    this.limit = pLimit(options.concurrency);
    this.maxWaiting = options.maxWaiting;
    this.cost = options.cost ?? DEFAULT_COST;
    this.onHashed = options.onHashed;
  }

  get running(): number {
    return this.limit.activeCount;
  }

  get waiting(): number {
    return this.limit.pendingCount;
  }

  async hash(staticHash: string): Promise<string> {
    return this.queued(() => hash(staticHash, this.cost));
  }

  async verify(staticHash: string, passwordHash: string): Promise<boolean> {
    if (!isWorkable(passwordHash)) return false;
    return this.queued(() => verify(passwordHash, staticHash));
  }

  private queued<T>(work: () => Promise<T>): Promise<T> {
    const busy = this.running >= this.limit.concurrency;
    if (busy && this.waiting >= this.maxWaiting) {
      this.refused += 1;
      throw new HashQueueFull(this.secondsUntilDone());
    }
    return this.limit(() => this.timed(work));
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
      concurrency: this.limit.concurrency,
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
