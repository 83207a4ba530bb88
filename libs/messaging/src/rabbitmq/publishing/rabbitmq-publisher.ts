import { EventPublisher, type OutgoingMessage } from '../../publishing.js';
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
export class RabbitMqPublisher extends EventPublisher {
  readonly #sender: ConfirmSender;

  /** `connection` must be one that publishes. */
  constructor(
    connection: BrokerConnection,
    private readonly options: RabbitMqPublisherOptions,
  ) {
    super();
    this.#sender = new ConfirmSender(connection, options);
  }

  get isReady(): boolean {
    return this.#sender.isReady;
  }

  get problem(): string | undefined {
    return this.#sender.problem;
  }

  onReady(listener: () => void): () => void {
    return this.#sender.onReady(listener);
  }

  publish(message: OutgoingMessage): Promise<void> {
    return this.#send(this.options.exchange, message.type, message);
  }

  publishTo(queue: string, message: OutgoingMessage): Promise<void> {
    return this.#send('', queue, message);
  }

  /** Stops publishing and abandons the messages in flight. The connection stays open. */
  close(): Promise<void> {
    return this.#sender.close();
  }

  #send(exchange: string, routingKey: string, { id, type, at, headers, body }: OutgoingMessage): Promise<void> {
    const properties = {
      messageId: id,
      type,
      contentType: 'application/json',
      // AMQP counts seconds.
      timestamp: Math.floor(at / 1_000),
      appId: this.options.appId,
      headers,
    };
    return this.#sender.send({ exchange, routingKey, body, properties });
  }
}
