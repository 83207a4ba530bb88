import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/**
 * A login succeeded. `generation` is that of the account at the login (see `Account`). `address` and `client` (the user agent) are
 * stored in this event only. Times are in unix seconds.
 */
export type SessionStarted = DomainEvent<
  'SessionStarted',
  {
    sessionId: string;
    accountId: number;
    generation: number;
    factors: readonly ('password' | 'one-time-code' | 'recovery-code')[];
    address: string;
    client: string;
    startedAt: number;
    expiresAt: number;
  },
  undefined
>;
/** The session ended, by its logout or because it was evicted; its token is refused from then on. */
export type SessionEnded = DomainEvent<'SessionEnded', { reason: 'logout' | 'evicted' }, undefined>;

export type SessionEvent = SessionStarted | SessionEnded;

export const sessionUpcasters: Upcasters<SessionEvent['type']> = {
  SessionStarted: [],
  SessionEnded: [],
};
