import { DomainError } from '@keyfold/domain';
import { CommandIdReused, Contended, StoreUnavailable } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { classifyFailure, HandlerTimedOut, InvalidMessage } from './consuming.js';

describe('an error of a handler', () => {
  it.each([
    [new InvalidMessage('message-invalid', 'x'), 'permanent', 'message-invalid'],
    [new DomainError('ssh-key-not-found'), 'permanent', 'ssh-key-not-found'],
    [new DomainError('too-many-attempts', { retryAfterSeconds: 60 }), 'transient', 'too-many-attempts'],
    [new CommandIdReused('message:1'), 'permanent', 'message-id-reused'],
    [new StoreUnavailable('x'), 'outage', 'store-unavailable'],
    [new Contended('x'), 'outage', 'store-unavailable'],
    [new HandlerTimedOut(60_000), 'transient', 'handler-timed-out'],
    [new TypeError('x is undefined'), 'transient', 'unexpected-error'],
    ['not even an error', 'transient', 'unexpected-error'],
  ])('%s is %s with the code %s', (error, kind, code) => {
    expect(classifyFailure(error)).toMatchObject({ kind, code });
  });

  it.each([new StoreUnavailable('mongodb://user:secret@host'), new Error('secret'), new CommandIdReused('secret')])(
    'does not reveal its message: %s',
    (error) => {
      expect(JSON.stringify(classifyFailure(error))).not.toContain('secret');
    },
  );
});
