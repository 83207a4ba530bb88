import { oneTimeCodeHold } from '../account/account.holds.js';
import { beginningOf, TEXT_BYTES } from '../kernel/bounded-text.js';
import type { Decider, Decision } from '../kernel/decider.js';
import type { SessionEvent, SessionStarted } from './session.events.js';

/** One login: absent, then active, then ended for good. */
export type Session = Readonly<{
  status: 'absent' | 'active' | 'ended';
  accountId: number;
  credential: number;
  expiresAt: number;
}>;

/** A login that was verified; `usedCode` names the one-time code that it spends. */
export type StartSession = Readonly<{
  type: 'StartSession';
  session: SessionStarted['data'];
  usedCode?: Readonly<{ enrolment: number; step: number }>;
}>;
/** The token of the session is refused from here on. */
export type EndSession = Readonly<{ type: 'EndSession'; reason: 'logout' }>;
export type SessionCommand = StartSession | EndSession;

/**
 * Decides on one login. What happened already, and the end of a session that is not active, have no events. The code of `usedCode` is
 * held for ever: a second session that would spend it is refused with `one-time-code-invalid-at-login`. That an account is disabled,
 * gone or has a new password is not known here.
 */
export const sessionDecider: Decider<Session, SessionCommand, SessionEvent> = {
  initialState: { status: 'absent', accountId: 0, credential: 0, expiresAt: 0 },
  decide,
  evolve,
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
  // No login is refused for what a program calls itself.
  const data = { ...session, client: beginningOf(session.client, TEXT_BYTES.client) };
  const events = [{ type: 'SessionStarted', v: 1, data } as const];
  if (!usedCode) return { events };
  const { enrolment, step } = usedCode;
  return { events, holds: [oneTimeCodeHold(session.accountId, enrolment, step, 'one-time-code-invalid-at-login')] };
}

function evolve(session: Session, event: SessionEvent): Session {
  switch (event.type) {
    case 'SessionStarted': {
      const { accountId, credential, expiresAt } = event.data;
      return { status: 'active', accountId, credential, expiresAt };
    }
    case 'SessionEnded':
      return { ...session, status: 'ended' };
  }
}
