import type { OutgoingMessage } from './relay/event-publisher.js';

/** What is told of a message that came in; id, type and trace only where they have the right form. */
export type FollowedMessage = Readonly<{
  queue: string;
  id: string | undefined;
  type: string | undefined;
  traceparent: string | undefined;
}>;

/** Tells whoever traces the service which messages come and go. Where nobody does, there is none, and it costs nothing. */
export abstract class MessageTraces {
  /** Sends a message as a part of the command that led to it, whose trace context its commit has; answers and throws what `send` does. */
  abstract publish(message: OutgoingMessage, traceparent: string | undefined, send: () => Promise<void>): Promise<void>;

  /** Handles a message as a part of what its sender did; answers and throws what `handle` does. */
  abstract handle<Outcome extends string>(message: FollowedMessage, handle: () => Promise<Outcome>): Promise<Outcome>;
}
