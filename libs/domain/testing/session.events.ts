import type { SessionEnded, SessionStarted } from '../src/session/session.events.js';

/** Returns a login of account 7 with its first password, from a documentation address, for 48 hours. */
export const login = (differing: Partial<SessionStarted['data']> = {}): SessionStarted['data'] => ({
  sessionId: 'b3f1c7d2',
  accountId: 7,
  generation: 1,
  factors: ['password'],
  address: '192.0.2.7',
  client: 'curl/8.5.0',
  startedAt: 1_768_478_400,
  expiresAt: 1_768_651_200,
  ...differing,
});

export const sessionStarted = (differing: Partial<SessionStarted['data']> = {}): SessionStarted => ({
  type: 'SessionStarted',
  v: 1,
  data: login(differing),
});

export const loggedOut: SessionEnded = { type: 'SessionEnded', v: 1, data: { reason: 'logout' } };
