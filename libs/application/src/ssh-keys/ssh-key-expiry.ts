import { BackOff } from '@keyfold/concurrency';
import { sshKeyRingAggregate } from '@keyfold/domain';
import { isOutage, type FeedLeases } from '@keyfold/event-store';
import {
  Projection,
  Projector,
  ReadModelStore,
  sshKeyRings,
  sshKeyRingStream,
  UnfoldableStream,
  type DueStream,
} from '@keyfold/projections';
import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { CommandRunner } from '../commands/command-runner.js';

/** Pause between two polls, and the longest pause during an outage, in milliseconds. */
const POLL_INTERVAL = 1_000;
const LONGEST_PAUSE = 4_000;
/** Rings that are expired at the same time. Each may have a megabyte. */
const BATCH = 50;
/** Rings that are listed at a time: full batches for eight workers. */
const PAGE = 8 * BATCH;

/**
 * The parts of a process that announce expired keys. The time comes from the store, so that a wrong clock of one process ends no key early.
 * `onError` is called once for each outage.
 */
export type SshKeyExpiryParts = Readonly<{
  runner: Pick<CommandRunner, 'run'>;
  readModels: ReadModelStore;
  projection: Pick<Projection, 'project'>;
  projector: Pick<Projector, 'holds'>;
  leases: Pick<FeedLeases, 'now'>;
  onError(error: unknown): void;
}>;

/**
 * Stores `SshKeyExpired` for keys that have expired, so that others learn of it. Nothing else waits for that event: answers compare the
 * expiry with the clock. Each process announces the keys in the slots of its projector. While a slot changes hands, two processes may try
 * the same ring, which records each expiry only once.
 */
export class SshKeyExpiry {
  readonly #stopping = new AbortController();
  #polling: Promise<void> | undefined;

  constructor(private readonly parts: SshKeyExpiryParts) {}

  /** Polls once a second until `stop`. */
  start(): void {
    this.#polling ??= this.#poll();
  }

  /** Finishes the current batch. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
  }

  /**
   * Announces every expiry that is due in the slots of this process, one batch after the other. A ring that cannot be read does not hold
   * up the others.
   *
   * @throws `StoreUnavailable`, or the first other error after all rings were tried.
   */
  async announce(): Promise<void> {
    const { readModels, projector, leases } = this.parts;
    const now = await leases.now();
    const failures: unknown[] = [];
    for (let last: DueStream | undefined; !this.#stopping.signal.aborted;) {
      const page = await readModels.listDue(sshKeyRings, now, PAGE, last);
      const own = page.filter(({ partition }) => projector.holds(partition));
      for (let start = 0; start < own.length && !this.#stopping.signal.aborted; start += BATCH) {
        failures.push(...(await this.#expireAll(own.slice(start, start + BATCH), now)));
        const outage = failures.find(isOutage);
        if (outage) throw outage;
      }
      if (page.length < PAGE) break;
      last = page.at(-1);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Returns the failures. */
  async #expireAll(batch: readonly DueStream[], now: number): Promise<unknown[]> {
    const expiring: Promise<void>[] = [];
    for (const due of batch) {
      const expire = this.#expire(due, now);
      // A failure is returned below, possibly in a later iteration.
      expire.catch(() => undefined);
      expiring.push(expire);
      // A full ring takes some milliseconds of CPU, and this process may serve requests.
      await setImmediate();
    }
    const outcomes = await Promise.allSettled(expiring);
    return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  }

  async #expire({ stream }: DueStream, now: number): Promise<void> {
    const ref = sshKeyRingStream(Number(stream.slice(sshKeyRingAggregate.streamPrefix.length)));
    try {
      await this.parts.runner.run(ref, { type: 'ExpireSshKeys', now }, { actor: 'expiry', correlation: randomUUID() });
      // Also without an event: another process stored it, and the document is stale.
      await this.parts.projection.project(ref);
    } catch (error) {
      // The projector reports a stream that cannot be folded.
      if (!(error instanceof UnfoldableStream)) throw error;
    }
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping;
    const backOff = new BackOff(POLL_INTERVAL, LONGEST_PAUSE);
    for (let failing = false; !signal.aborted;) {
      let pause = POLL_INTERVAL;
      try {
        await this.announce();
        failing = false;
        backOff.reset();
      } catch (error) {
        if (!failing) this.parts.onError(error);
        failing = true;
        pause = backOff.next();
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}
