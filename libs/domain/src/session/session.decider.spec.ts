import { describe, expect, it } from 'vitest';
import { given, stateAfter } from '../../testing/decider-specification.js';
import { loggedOut, login, sessionStarted } from '../../testing/session.events.js';
import { sessionDecider, type EndSession, type StartSession } from './session.decider.js';

const start: StartSession = { type: 'StartSession', session: login() };
const logout: EndSession = { type: 'EndSession', reason: 'logout' };

describe('StartSession', () => {
  it('starts the session with all data of the login', () => {
    given(sessionDecider).when(start).thenEvents(sessionStarted()).thenHolds();
  });

  it('keeps the first 1,024 bytes of the user agent', () => {
    given(sessionDecider)
      .when({ type: 'StartSession', session: login({ client: 'curl/8.5.0 '.repeat(100) }) })
      .thenEvents(sessionStarted({ client: `${'curl/8.5.0 '.repeat(93)}c` }));
  });

  it('spends the one-time code of the login', () => {
    const session = login({ factors: ['password', 'one-time-code'] });
    given(sessionDecider)
      .when({ type: 'StartSession', session, usedCode: { enrolment: 2, step: 58_949_280 } })
      .thenEvents(sessionStarted({ factors: ['password', 'one-time-code'] }))
      .thenHolds('otp:7:2:58949280')
      .thenTakenRefusal('one-time-code-invalid-at-login');
  });

  it('does nothing if the session is active', () => {
    given(sessionDecider, sessionStarted()).when(start).thenNothing();
  });

  it('does not start an ended session again', () => {
    given(sessionDecider, sessionStarted(), loggedOut).when(start).thenNothing();
  });
});

describe('EndSession', () => {
  it('ends the session', () => {
    given(sessionDecider, sessionStarted()).when(logout).thenEvents(loggedOut).thenHolds();
  });

  it('records that the session was evicted', () => {
    given(sessionDecider, sessionStarted())
      .when({ type: 'EndSession', reason: 'evicted' })
      .thenEvents({ type: 'SessionEnded', v: 1, data: { reason: 'evicted' } });
  });

  it('does nothing if the session has ended', () => {
    given(sessionDecider, sessionStarted(), loggedOut).when(logout).thenNothing();
  });

  it('does nothing if there is no session', () => {
    given(sessionDecider).when(logout).thenNothing();
  });
});

describe('the state of a session', () => {
  it('is absent before its first event', () => {
    expect(stateAfter(sessionDecider).status).toBe('absent');
  });

  it('keeps all data of the login', () => {
    expect(stateAfter(sessionDecider, sessionStarted({ generation: 3 }))).toStrictEqual({
      status: 'active',
      ...login({ generation: 3 }),
    });
  });

  it('has ended after the logout, and forgets address and client', () => {
    expect(stateAfter(sessionDecider, sessionStarted(), loggedOut)).toStrictEqual({
      status: 'ended',
      ...login({ address: '', client: '' }),
    });
  });
});
