import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_INTERVAL = 5_000;
/** A thread that is busy for a smaller share of the time is idle. */
const BUSY = 0.01;
/** The checks after which it collects. A load that pauses for less time pays for no collections. */
const IDLE_CHECKS = 2;
/** The least number of checks between two collections, a minute, so that a steady light load pays for few of them. */
const GAP = 12;
/** The growth of the heap, in bytes, that is worth a collection. */
const GROWTH = 16 * 1024 * 1024;

/** Decides when an idle thread collects. V8 itself collects when a thread allocates, so that an idle one keeps its garbage. */
export class IdleMemory {
  /** The smallest heap since the last collection. */
  #kept = 0;
  #idleChecks = 0;
  #checksSinceCollection = GAP;

  constructor(
    private readonly heapBytes: () => number,
    /** Returns whether it collected. */
    private readonly collect: () => boolean,
  ) {}

  /** `utilization`: the share of the time since the last check in which the thread was busy. */
  check(utilization: number): void {
    // V8 shrinks the heap for a while after a collection.
    this.#kept = Math.min(this.#kept, this.heapBytes());
    this.#idleChecks = utilization < BUSY ? this.#idleChecks + 1 : 0;
    this.#checksSinceCollection++;
    if (this.#idleChecks < IDLE_CHECKS || this.#checksSinceCollection < GAP) return;
    if (this.heapBytes() < this.#kept + GROWTH || !this.collect()) return;
    this.#kept = this.heapBytes();
    this.#checksSinceCollection = 0;
  }
}

/** Gives the garbage of this thread back to the system whenever the thread is idle. */
export function collectWhenIdle(): void {
  const memory = new IdleMemory(() => getHeapStatistics().total_heap_size, collect);
  let last: EventLoopUtilization | undefined;
  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    memory.check(utilization);
  }, CHECK_INTERVAL).unref();
}

/**
 * Runs a full collection of V8, which only a context has that is created while the flag is set. The flag is one of the process: another
 * thread may clear it at this moment, and it must not stay, because compiled code is cached for the same flags. Returns whether it collected.
 */
export function collect(): boolean {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined;
  setFlagsFromString('--no-expose-gc');
  gc?.({ type: 'major' });
  return gc !== undefined;
}
