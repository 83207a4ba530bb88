import type { Aggregate } from '../kernel/aggregate.js';
import type { UsedCode } from '../account/account.commands.js';
import { oneTimeCodeHold } from '../account/account.holds.js';
import { truncate, TEXT_BYTES } from '../kernel/bounded-text.js';
import type { Decider, Decision } from '../kernel/decider.js';
import { sessionUpcasters, type SessionEnded, type SessionEvent, type SessionStarted } from './session.events.js';

/**
 * The state of one login: absent, then active, then ended for good. Times are in unix seconds. An ended session forgets who logged in from
 * where.
 */
export type Session = Readonly<{
  status: 'absent' | 'active' | 'ended';
  sessionId: string;
  accountId: number;
  generation: number;
  startedAt: number;
  expiresAt: number;
  factors: SessionStarted['data']['factors'];
  address: string;
  client: string;
}>;

/** Starts the session of a verified login. `usedCode` identifies the one-time code that it spends. */
export type StartSession = Readonly<{
  type: 'StartSession';
  session: SessionStarted['data'];
  usedCode?: UsedCode;
}>;
/** Ends the session: its token is refused from then on. */
export type EndSession = Readonly<{ type: 'EndSession'; reason: SessionEnded['data']['reason'] }>;
export type SessionCommand = StartSession | EndSession;

/**
 * Decides on one login. Starting a session again and ending one that is not active change nothing. A session takes the hold of its code
 * for good, so a second session with that code is refused with `one-time-code-invalid-at-login`. The decider does not know whether the
 * account is disabled, deleted, has a new password or evicted its sessions.
 */
export const sessionDecider: Decider<Session, SessionCommand, SessionEvent> = {
  initialState: {
    status: 'absent',
    sessionId: '',
    accountId: 0,
    generation: 0,
    startedAt: 0,
    expiresAt: 0,
    factors: [],
    address: '',
    client: '',
  },
  decide,
  evolve,
};

export const sessionAggregate: Aggregate<string, Session, SessionCommand, SessionEvent> = {
  name: 'session',
  decider: sessionDecider,
  upcasters: sessionUpcasters,
  streamPrefix: 'session-',
  streamOf: (sessionId) => `session-${sessionId}`,
};

function decide(session: Session, command: SessionCommand): Decision<SessionEvent> {
  switch (command.type) {
    case 'StartSession':
      return session.status === 'absent' ? start(command) : { events: [] };
    case 'EndSession':
      if (session.status !== 'active') return { events: [] };
      return { events: [{ type: 'SessionEnded', v: 1, data: { reason: command.reason } }] };
  }
}

function start({ session, usedCode }: StartSession): Decision<SessionEvent> {
  // A long user agent is truncated, because it must not prevent a login.
  const data = { ...session, client: truncate(session.client, TEXT_BYTES.client) };
  const events = [{ type: 'SessionStarted', v: 1, data } as const];
  if (!usedCode) return { events };
  const { enrolment, step } = usedCode;
  return { events, holds: [oneTimeCodeHold(session.accountId, enrolment, step, 'one-time-code-invalid-at-login')] };
}

function evolve(session: Session, event: SessionEvent): Session {
  switch (event.type) {
    case 'SessionStarted':
      return { ...event.data, status: 'active' };
    case 'SessionEnded':
      return { ...session, status: 'ended', address: '', client: '' };
  }
}
