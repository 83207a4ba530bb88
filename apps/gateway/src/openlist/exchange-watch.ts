import { DomainError } from '@keyfold/domain';
import { Fault } from '@keyfold/http-envelope';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { ForwardedRequest } from './forwarded-request.js';
import type { ForwardedRow } from './forwarding-table.js';
import type { Identities, Identity } from './identity.js';

/** Milliseconds between two checks, so that an exchange ends within a second. */
const INTERVAL = 500;
/** Exchanges that are checked concurrently. */
const CONCURRENT = 32;

type Exchange = Readonly<{ request: ForwardedRequest; row: ForwardedRow; caller: NonNullable<Identity['caller']> }>;

/** Ends exchanges whose callers have lost access: a transfer may take hours. */
export class ExchangeWatch {
  /** With the state of the caller at the last check. */
  readonly #open = new Map<Exchange, string | undefined>();
  readonly #limit = pLimit(CONCURRENT);
  #isChecking = false;

  constructor(private readonly identities: Pick<Identities, 'callerOf' | 'stateOf'>) {}

  /** Watches an exchange until the returned function is called. */
  add({ caller }: Identity, request: ForwardedRequest, row: ForwardedRow): () => void {
    // Each identification of a static token is reported.
    if (!caller || caller.by === 'static-token') return () => undefined;
    const exchange = { request, row, caller };
    this.#open.set(exchange, undefined);
    if (!this.#isChecking) void this.#checkWhileOpen();
    return () => void this.#open.delete(exchange);
  }

  async #checkWhileOpen(): Promise<void> {
    this.#isChecking = true;
    while (this.#open.size > 0) {
      await sleep(INTERVAL, undefined, { ref: false });
      const states = new Map<string, Promise<string>>();
      // The transfers of a client share one look at its state.
      const stateOf = (caller: Exchange['caller']) => {
        const key = `${caller.account.accountId} ${caller.sessionId}`;
        const state = states.get(key) ?? this.identities.stateOf(caller);
        states.set(key, state);
        return state;
      };
      await this.#limit.map(this.#open.keys(), (exchange) => this.#check(exchange, stateOf));
    }
    this.#isChecking = false;
  }

  async #check(exchange: Exchange, stateOf: (caller: Exchange['caller']) => Promise<string>): Promise<void> {
    const { request, row, caller } = exchange;
    try {
      // Before the check, which may overtake a change.
      const state = await stateOf(caller);
      if (state === this.#open.get(exchange) || !this.#open.has(exchange)) return;
      await this.identities.callerOf(request, row);
      if (this.#open.has(exchange)) this.#open.set(exchange, state);
    } catch (error) {
      // Once the exchange has ended, its connection serves others.
      if (isRefused(error) && this.#open.has(exchange)) request.raw.socket.destroy();
    }
  }
}

/** Other errors are those of the store or of the throttle, and say nothing about the caller. */
const isRefused = (error: unknown): boolean =>
  error instanceof DomainError ? error.code !== 'too-many-attempts' : error instanceof Fault && error.status < 429;
