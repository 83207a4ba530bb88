import type { OutgoingMessage } from './event-publisher.js';

/** An incoming message as traced; invalid ids, types and trace contexts are left out. */
export type FollowedMessage = Readonly<{
  queue: string;
  id: string | undefined;
  type: string | undefined;
  traceparent: string | undefined;
}>;

/** Traces published and consumed messages. Provided only if tracing is on. */
export abstract class MessageTraces {
  /** Runs `send` in a span of the trace of the command that caused the message. Returns and throws what `send` does. */
  abstract publish(message: OutgoingMessage, traceparent: string | undefined, send: () => Promise<void>): Promise<void>;

  /** Runs `handle` in a span of the sender's trace. Returns and throws what `handle` does. */
  abstract handle<Outcome extends string>(message: FollowedMessage, handle: () => Promise<Outcome>): Promise<Outcome>;
}
