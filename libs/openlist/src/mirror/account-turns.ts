import type { StreamQueue } from '@keyfold/application';
import type { FeedLeases, Lease } from '@keyfold/event-store';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenListUnavailable } from '../api/openlist.errors.js';

/** The name under which turns take leases: one for each account, by its id. */
export const TURNS = 'openlist-turns';
/** Milliseconds that a turn may take, and until others may take over from a process that died. */
const TURN = 10_000;
const LEASE = 20_000;
/** Milliseconds that a caller waits for its turn, and between two attempts. */
const LONGEST_WAIT = 20_000;
const PAUSE = 50;

/** Throws if the turn is over, because another process may have the next one. */
export type RequireTurn = () => void;

/** Lets one thread of one process at a time change the mirror of an account. */
export class AccountTurns {
  readonly #owner = randomUUID();

  /** `queue` serves all threads of the process. `leases` serve all processes; undefined if the store belongs to this one. */
  constructor(
    private readonly queue: StreamQueue,
    private readonly leases: FeedLeases | undefined,
  ) {}

  /** @throws `OpenListUnavailable` if another process keeps the turn for too long; what `work` throws; `StoreUnavailable`. */
  run<Result>(accountId: number, work: (requireTurn: RequireTurn) => Promise<Result>): Promise<Result> {
    const { leases } = this;
    return this.queue.run(`${TURNS}-${accountId}`, () =>
      leases ? this.#runLeased(leases, accountId, work) : work(() => undefined),
    );
  }

  async #runLeased<Result>(
    leases: FeedLeases,
    accountId: number,
    work: (requireTurn: RequireTurn) => Promise<Result>,
  ): Promise<Result> {
    const [lease, until] = await this.#take(leases, accountId);
    try {
      return await work(() => requireBefore(until));
    } finally {
      // An unreleased lease ends by itself.
      await leases.remove([lease]).catch(() => undefined);
    }
  }

  async #take(leases: FeedLeases, accountId: number): Promise<[lease: Lease, until: number]> {
    const began = performance.now();
    for (;;) {
      const asked = performance.now();
      const [lease] = await leases.take(TURNS, this.#owner, [accountId], LEASE);
      if (lease) return [lease, asked + TURN];
      if (asked - began > LONGEST_WAIT)
        throw new OpenListUnavailable('another process keeps changing the mirror of the account');
      await sleep(PAUSE * (0.5 + Math.random()));
    }
  }
}

function requireBefore(until: number): void {
  if (performance.now() >= until) throw new OpenListUnavailable('changing the mirror of the account took too long');
}
