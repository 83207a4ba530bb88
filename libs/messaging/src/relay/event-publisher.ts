/** A message as it goes to the broker: AMQP properties, headers and body, made once and sent as often as needed. */
export type OutgoingMessage = Readonly<{
  /** Unique for ever; the same message sent again has the same id. */
  id: string;
  type: string;
  /** Unix milliseconds. */
  at: number;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: Buffer;
}>;

/** The broker has the message on disk in every queue that wants it, or it is known why not. */
export abstract class EventPublisher {
  /** Whether messages are taken now; false while the broker is away or takes none. */
  abstract readonly isReady: boolean;

  /** Why messages are not taken although the broker is there; undefined once one was taken, and before any was sent. */
  abstract readonly problem: string | undefined;

  /** Calls `listener` each time that messages are taken again; answers what ends it. */
  abstract onReady(listener: () => void): () => void;

  /**
   * Publishes to all subscribers and resolves once the broker has confirmed it. Many may be under way at once; those that were begun
   * in some order reach a queue in that order, but a refusal of one does not stop the ones behind it.
   *
   * @throws MessageRefused the broker refused it, or no queue wanted it: try again later
   * @throws BrokerUnavailable it was not sent, or it is not known whether it arrived; it may be sent again
   * @throws UnsendableMessage no try will ever succeed
   */
  abstract publish(message: OutgoingMessage): Promise<void>;

  /** As `publish`, to one queue, past every other subscriber. */
  abstract publishTo(queue: string, message: OutgoingMessage): Promise<void>;
}
