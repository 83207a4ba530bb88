import { DomainError } from '@keyfold/domain';
import { CommandIdReused, isRetryable } from '@keyfold/event-store';
import { HandlerTimedOut, InvalidMessage } from './consuming.errors.js';

/**
 * Why a message was not handled. `permanent`: no later try will end otherwise. `outage`: it says nothing about the message, so the try
 * does not count. `transient`: a later try may succeed. Code and message are free of personal data and of secrets.
 */
export type Failure = Readonly<{ kind: 'permanent' | 'outage' | 'transient'; code: string; message: string }>;

/** What an error of a handler means for its message; what nobody expected is worth some more tries. */
export function failureOf(error: unknown): Failure {
  if (error instanceof InvalidMessage) return { kind: 'permanent', code: error.code, message: error.message };
  if (error instanceof DomainError) {
    const kind = error.retryAfterSeconds === undefined ? 'permanent' : 'transient';
    return { kind, code: error.code, message: `refused: ${error.code}` };
  }
  if (error instanceof CommandIdReused)
    return { kind: 'permanent', code: 'message-id-reused', message: 'another message had this id' };
  if (isRetryable(error)) return { kind: 'outage', code: 'store-unavailable', message: 'the store is not available' };
  if (error instanceof HandlerTimedOut)
    return { kind: 'transient', code: 'handler-timed-out', message: 'it took too long' };
  return { kind: 'transient', code: 'unexpected-error', message: 'an unexpected error' };
}
