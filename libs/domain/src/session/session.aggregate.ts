import type { Aggregate } from '../kernel/aggregate.js';
import { sessionDecider, type Session, type SessionCommand } from './session.decider.js';
import { sessionUpcasters, type SessionEvent } from './session.events.js';

export const sessionAggregate: Aggregate<string, Session, SessionCommand, SessionEvent> = {
  name: 'session',
  decider: sessionDecider,
  upcasters: sessionUpcasters,
  streamPrefix: 'session-',
  streamOf: (sessionId) => `session-${sessionId}`,
};
