import { setTimeout as sleep } from 'node:timers/promises';
import type { ForwardedRequest } from './forwarded-request.js';
import type { ForwardedRow } from './forwarding-table.js';
import type { Identities, Identity } from './identity.js';

/** Milliseconds between two checks, so that an exchange ends within a second. */
const INTERVAL = 500;

type Exchange = Readonly<{ request: ForwardedRequest; row: ForwardedRow; caller: NonNullable<Identity['caller']> }>;

/** Ends exchanges whose callers have lost access: a transfer may take hours. */
export class ExchangeWatch {
  readonly #open = new Set<Exchange>();
  #isChecking = false;

  constructor(private readonly identities: Pick<Identities, 'hasAccess'>) {}

  /** Watches an exchange until the returned function is called. */
  add({ caller }: Identity, request: ForwardedRequest, row: ForwardedRow): () => void {
    // The static token belongs to no account.
    if (!caller || caller.by === 'static-token') return () => undefined;
    const exchange = { request, row, caller };
    this.#open.add(exchange);
    if (!this.#isChecking) void this.#checkWhileOpen();
    return () => void this.#open.delete(exchange);
  }

  async #checkWhileOpen(): Promise<void> {
    this.#isChecking = true;
    while (this.#open.size > 0) {
      await sleep(INTERVAL, undefined, { ref: false });
      await Promise.all(Array.from(this.#open, (exchange) => this.#check(exchange)));
    }
    this.#isChecking = false;
  }

  async #check(exchange: Exchange): Promise<void> {
    const { request, row, caller } = exchange;
    // An error of the store says nothing about the caller.
    const hasAccess = await this.identities.hasAccess(caller, row).catch(() => true);
    // Once the exchange has ended, its connection serves others.
    if (!hasAccess && this.#open.has(exchange)) request.raw.socket.destroy();
  }
}
