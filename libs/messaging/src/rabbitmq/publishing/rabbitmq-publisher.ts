import type { EventPublisher, OutgoingMessage } from '../../publishing.js';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { ConfirmSender, type ConfirmSenderOptions } from './confirm-sender.js';

export type RabbitMqPublisherOptions = ConfirmSenderOptions &
  Readonly<{
    /** The exchange that `publish` sends to. */
    exchange: string;
    /** Program and version, sent as the property `app-id`: `keyfold/1.0.0`. */
    appId: string;
  }>;

/** Publishes events to RabbitMQ, each as a persistent message with a publisher confirm. */
export class RabbitMqPublisher extends ConfirmSender implements EventPublisher {
  /** `connection` must be one that publishes. */
  constructor(
    connection: BrokerConnection,
    private readonly target: RabbitMqPublisherOptions,
  ) {
    super(connection, target);
  }

  publish(message: OutgoingMessage): Promise<void> {
    return this.#publish(this.target.exchange, message.type, message);
  }

  publishTo(queue: string, message: OutgoingMessage): Promise<void> {
    return this.#publish('', queue, message);
  }

  #publish(exchange: string, routingKey: string, { id, type, at, headers, body }: OutgoingMessage): Promise<void> {
    const properties = {
      messageId: id,
      type,
      contentType: 'application/json',
      // AMQP counts seconds.
      timestamp: Math.floor(at / 1_000),
      appId: this.target.appId,
      headers,
    };
    return this.send({ exchange, routingKey, body, properties });
  }
}
