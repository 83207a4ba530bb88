import type { Message, Options } from 'amqplib';
import { BrokerUnavailable } from '../messaging.errors.js';
import { APPLY_ADVICE } from './channel-error.js';

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
export type InFlightMessage = PendingMessage & { readonly sentAt: number; returned?: true };

/** Returns the name of a message for error texts. */
export const nameOf = ({ properties }: AddressedMessage): string => properties.messageId ?? 'a message without id';

/** Returns why the broker refused a message: no queue matched it, or a queue rejected it. */
export function refusalReasonOf({ exchange, routingKey, returned }: InFlightMessage): string {
  if (returned)
    return exchange === '' ? `there is no queue ${routingKey}` : `no queue is bound for ${routingKey}: ${APPLY_ADVICE}`;
  return exchange === '' ? `queue ${routingKey} refuses messages` : 'a queue refuses messages; it may be full';
}

/** Returns the error for a message that may have arrived. */
export const unknownOutcomeOf = (message: AddressedMessage, reason: string): BrokerUnavailable =>
  new BrokerUnavailable(`it is unknown whether ${nameOf(message)} arrived: ${reason}`);

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
      if (message.properties.messageId !== properties.messageId || message.returned) continue;
      if (message.exchange !== fields.exchange || message.routingKey !== fields.routingKey) continue;
      message.returned = true;
      return;
    }
  }

  /** Rejects all messages with `BrokerUnavailable`, because no confirm will arrive any more. */
  abandon(reason: string): void {
    const abandoned = [...this.#messages];
    this.#messages.clear();
    for (const message of abandoned) {
      message.reject(unknownOutcomeOf(message, reason));
    }
  }
}
