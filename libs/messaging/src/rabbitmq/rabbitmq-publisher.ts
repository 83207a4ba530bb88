import { UnsendableMessage } from '../messaging.errors.js';
import { EventPublisher, type OutgoingMessage } from '../event-publisher.js';
import type { BrokerConnection } from './broker-connection.js';
import { ConfirmSender, type ConfirmSenderOptions } from './confirm-sender.js';
import { propertiesOf } from './message-properties.js';

/** Options of a publisher. */
export type RabbitMqPublisherOptions = ConfirmSenderOptions &
  Readonly<{
    /** The exchange that `publish` sends to. */
    exchange: string;
    /** Program and version, sent as the property `app-id`: `keyfold/1.0.0`. */
    appId: string;
  }>;

/** In bytes: the default `max_message_size` of RabbitMQ 4 (128 MiB in 3.10). The broker closes the channel for a larger message. */
const MAX_BODY = 16 * 1024 * 1024;

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

  async #send(exchange: string, routingKey: string, message: OutgoingMessage): Promise<void> {
    const { id, body } = message;
    if (body.length > MAX_BODY) throw new UnsendableMessage(`${id} has ${body.length} bytes; the limit is ${MAX_BODY}`);
    await this.#sender.send({ exchange, routingKey, body, properties: propertiesOf(message, this.options.appId) });
  }
}
