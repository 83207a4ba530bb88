import { DomainError } from '@keyfold/domain';
import { CommandIdReused, isRetryable } from '@keyfold/event-store';
import { HandlerTimedOut, InvalidMessage } from './consuming.errors.js';

/**
 * Why a message was not handled. `permanent`: retries cannot succeed. `transient`: a retry may succeed. `outage`: the failure does not
 * concern the message, so the attempt does not count. Code and message contain no personal data and no secrets.
 */
export type Failure = Readonly<{ kind: 'permanent' | 'outage' | 'transient'; code: string; message: string }>;

/** Classifies the error of a handler. Unexpected errors are transient. */
export function classifyFailure(error: unknown): Failure {
  if (error instanceof InvalidMessage) return { kind: 'permanent', code: error.code, message: error.message };
  if (error instanceof DomainError) {
    const kind = error.details.retryAfterSeconds === undefined ? 'permanent' : 'transient';
    return { kind, code: error.code, message: `refused: ${error.code}` };
  }
  if (error instanceof CommandIdReused)
    return { kind: 'permanent', code: 'message-id-reused', message: 'another message already used this id' };
  if (isRetryable(error)) return { kind: 'outage', code: 'store-unavailable', message: 'the store is not available' };
  if (error instanceof HandlerTimedOut)
    return { kind: 'transient', code: 'handler-timed-out', message: 'the handler timed out' };
  return { kind: 'transient', code: 'unexpected-error', message: 'unexpected error' };
}
