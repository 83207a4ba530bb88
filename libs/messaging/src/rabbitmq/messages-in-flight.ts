import type { Message } from 'amqplib';
import { BrokerUnavailable } from '../messaging.errors.js';
import type { OutgoingMessage } from '../relay/event-publisher.js';

/** A message, where it shall go, and who waits for what becomes of it. */
export type Sending = Readonly<{
  exchange: string;
  routingKey: string;
  message: OutgoingMessage;
  resolve: () => void;
  reject: (error: Error) => void;
}>;

/** A message that was sent and not answered. `sentAt` in milliseconds of the publisher's clock. */
export type InFlight = Sending & { readonly sentAt: number; returned?: string };

/** What was sent over one channel, in its order, until the broker answers. */
export class MessagesInFlight {
  readonly #messages = new Set<InFlight>();

  get size(): number {
    return this.#messages.size;
  }

  get oldest(): InFlight | undefined {
    const [oldest] = this.#messages;
    return oldest;
  }

  add(sending: InFlight): void {
    this.#messages.add(sending);
  }

  /** Whether somebody still waited for it. */
  remove(sending: InFlight): boolean {
    return this.#messages.delete(sending);
  }

  /** Notes that no queue wants a message; it comes back before it is confirmed, and may be in flight twice. */
  returned({ fields, properties }: Message): void {
    for (const sending of this.#messages) {
      if (sending.message.id !== properties.messageId || sending.returned !== undefined) continue;
      if (sending.exchange !== fields.exchange || sending.routingKey !== fields.routingKey) continue;
      sending.returned = 'replyText' in fields ? String(fields.replyText) : 'no queue wants it';
      return;
    }
  }

  /** Nobody will answer any more. */
  abandon(reason: string): void {
    const abandoned = [...this.#messages];
    this.#messages.clear();
    for (const { message, reject } of abandoned) {
      reject(new BrokerUnavailable(`nobody knows whether ${message.id} arrived: ${reason}`));
    }
  }
}
