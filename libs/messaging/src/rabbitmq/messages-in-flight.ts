import type { Message, Options } from 'amqplib';
import { BrokerUnavailable } from '../messaging.errors.js';

/** A message and its destination. With an empty `exchange`, the routing key is the name of a queue. */
export type AddressedMessage = Readonly<{
  exchange: string;
  routingKey: string;
  body: Buffer;
  properties: Options.Publish;
}>;

/** A message whose sender waits for the outcome. */
export type PendingMessage = AddressedMessage & Readonly<{ resolve: () => void; reject: (error: Error) => void }>;

/** A message that was sent and not yet confirmed. `sentAt` is in milliseconds of the sender's clock. */
export type InFlightMessage = PendingMessage & { readonly sentAt: number; returned?: string };

/** Returns the name of a message for error texts. */
export const nameOf = ({ properties }: AddressedMessage): string => properties.messageId ?? 'a message without id';

/** Holds the messages that were sent over one channel, in order, until the broker confirms them. */
export class MessagesInFlight {
  readonly #messages = new Set<InFlightMessage>();

  get size(): number {
    return this.#messages.size;
  }

  get oldest(): InFlightMessage | undefined {
    const [oldest] = this.#messages;
    return oldest;
  }

  add(message: InFlightMessage): void {
    this.#messages.add(message);
  }

  /** Removes a message. Returns false if it was abandoned before. */
  remove(message: InFlightMessage): boolean {
    return this.#messages.delete(message);
  }

  /** Marks a message as returned: no queue matched it. RabbitMQ returns a message before it confirms it. */
  markReturned({ fields, properties }: Message): void {
    for (const message of this.#messages) {
      // The same message can be in flight twice, so only one of the two is marked.
      if (message.properties.messageId !== properties.messageId || message.returned !== undefined) continue;
      if (message.exchange !== fields.exchange || message.routingKey !== fields.routingKey) continue;
      message.returned = 'replyText' in fields ? String(fields.replyText) : 'NO_ROUTE';
      return;
    }
  }

  /** Rejects all messages with `BrokerUnavailable`, because no confirm will arrive any more. */
  abandon(reason: string): void {
    const abandoned = [...this.#messages];
    this.#messages.clear();
    for (const message of abandoned) {
      message.reject(new BrokerUnavailable(`it is unknown whether ${nameOf(message)} arrived: ${reason}`));
    }
  }
}
