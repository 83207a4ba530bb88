import type { DomainEvent } from '../kernel/event.js';
import type { Upcasters } from '../kernel/upcasting.js';

/**
 * A login succeeded. `credential` is the account's count of password changes that the login verified; `address` and `client`
 * (user agent) are kept here and in no other event. Times in unix seconds.
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
/** The token of this session is refused from here on. */
export type SessionEnded = DomainEvent<'SessionEnded', { reason: 'logout' }, undefined>;

export type SessionEvent = SessionStarted | SessionEnded;

export const sessionUpcasters = {
  SessionStarted: { 1: 'current' },
  SessionEnded: { 1: 'current' },
} satisfies Record<SessionEvent['type'], Upcasters[string]>;
