import { DomainError } from '@keyfold/domain';
import { CommandIdReused, isRetryable } from '@keyfold/event-store';

/** Carries commands of other services; the routing key is the type. */
export const COMMANDS_EXCHANGE = 'keyfold.commands';
/** Carries questions; the routing key is the type. Requesters need no permission on the default exchange, which reaches every queue. */
export const RPC_EXCHANGE = 'keyfold.rpc';

/** Transport id of the queue `keyfold.commands.q`. Handlers of commands declare it with `@EventPattern`. */
export const COMMANDS = Symbol('keyfold.commands.q');
/** Transport id of the queue `keyfold.rpc`. Handlers of questions declare it with `@MessagePattern`. */
export const QUESTIONS = Symbol('keyfold.rpc');

/** Metadata of a message, which its handler gets beside the data. The outcome of the handler settles the message. */
export type MessageContext = Readonly<{
  /** The id from the sender, the same on each delivery. Questions may have none. */
  id: string | undefined;
  type: string;
  /** Counts from 1. Attempts that failed because of an outage do not count. */
  attempt: number;
  /** The correlation id of the request that led to the message; defaults to `id`. */
  correlation: string | undefined;
  /** W3C trace context. */
  traceparent: string | undefined;
  /** Whether the message may have been delivered before; a hint, not a proof. */
  redelivered: boolean;
  /** Aborted when the handler times out, the channel is lost or the process shuts down. */
  signal: AbortSignal;
}>;

/** The message can never be handled. `code` is stable, in kebab-case, and free of personal data. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The handler exceeded its timeout; it may still be running. */
export class HandlerTimedOut extends Error {
  override readonly name = 'HandlerTimedOut';

  constructor(milliseconds: number) {
    super(`the handler took longer than ${milliseconds} ms`);
  }
}

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
