/** Carries public events; the routing key is the type. Subscribers bind their own queues to it. */
export const EVENTS_EXCHANGE = 'keyfold.events';

/** A message for the broker: its AMQP properties, headers and body. */
export type OutgoingMessage = Readonly<{
  /** Globally unique; a resent message keeps its id. */
  id: string;
  type: string;
  /** Unix milliseconds. */
  at: number;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: Buffer;
}>;

/** The broker is unreachable or blocked, or the connection was lost before a confirm: the message may have arrived. */
export class BrokerUnavailable extends Error {
  override readonly name = 'BrokerUnavailable';
}

/** The broker refused the message because a queue is full or none is bound. A retry may succeed. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
}

/** The message cannot be translated or encoded, or is too large. Retries cannot succeed. */
export class UnsendableMessage extends Error {
  override readonly name = 'UnsendableMessage';
}

/** Milliseconds without an answer after which a destination counts as stalled. */
export const STALL_AGE = 5_000;

/** For `STALL_AGE` or longer, the broker was unreachable or did not confirm some messages, even when they were resent. */
export type Stall = Readonly<{
  reason: string;
  seconds: number;
  /** Whether the broker answers nothing at all, so that another process should publish. */
  isTotal: boolean;
}>;

/** Publishes events with confirms: a message is confirmed once every matching queue has it on disk. */
export abstract class EventPublisher {
  /** Whether messages can be published now; false while the broker is unreachable or blocked. */
  abstract readonly isReady: boolean;

  /** Why the broker takes no messages although it is connected; undefined once one was confirmed. */
  abstract readonly problem: string | undefined;

  abstract readonly stall: Stall | undefined;

  /** Calls `listener` whenever the publisher becomes ready. Returns a function that removes the listener. */
  abstract onReady(listener: () => void): () => void;

  /**
   * Publishes to all subscribers and resolves once the broker has confirmed the message. Concurrent messages reach a queue in the order of
   * the calls, but the refusal of one does not stop later ones.
   *
   * @throws MessageRefused a queue rejected it, or no queue matched it; retry later
   * @throws BrokerUnavailable it was not sent, or it is unknown whether it arrived; it may be resent
   * @throws UnsendableMessage retries cannot succeed
   */
  abstract publish(message: OutgoingMessage): Promise<void>;

  /** As `publish`, but to a single queue. */
  abstract publishTo(queue: string, message: OutgoingMessage): Promise<void>;
}

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
