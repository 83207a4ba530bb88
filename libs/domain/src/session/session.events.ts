import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/**
 * A login succeeded. `credential` is the account's count of password changes at the login. `address` and `client` (the user agent) are
 * stored in this event only. Times are in unix seconds.
 */
export type SessionStarted = DomainEvent<
  'SessionStarted',
  {
    sessionId: string;
    accountId: number;
    credential: number;
    factors: readonly ('password' | 'one-time-code')[];
    address: string;
    client: string;
    startedAt: number;
    expiresAt: number;
  },
  undefined
>;
/** The session ended; its token is refused from then on. */
export type SessionEnded = DomainEvent<'SessionEnded', { reason: 'logout' }, undefined>;

export type SessionEvent = SessionStarted | SessionEnded;

export const sessionUpcasters = {
  SessionStarted: { 1: 'current' },
  SessionEnded: { 1: 'current' },
} satisfies Record<SessionEvent['type'], Upcasters[string]>;
