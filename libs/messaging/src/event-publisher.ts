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

/** Publishes events with confirms: a message is confirmed once every matching queue has it on disk. */
export abstract class EventPublisher {
  /** Whether messages can be published now; false while the broker is unreachable or blocked. */
  abstract readonly isReady: boolean;

  /** Why the broker takes no messages although it is connected; undefined once one was confirmed. */
  abstract readonly problem: string | undefined;

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
