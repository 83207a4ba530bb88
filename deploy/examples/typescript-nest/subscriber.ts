import 'reflect-metadata';
import {
  Injectable,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { connect, type Channel, type ConsumeMessage } from 'amqplib';
import { on } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { KeyTable } from './key-table.js';

const { KEYFOLD_RABBITMQ_URL: url = 'amqp://localhost', KEYFOLD_QUEUE: queue = 'sftp.keyfold-events' } = process.env;
const bindings = (process.env['KEYFOLD_BINDINGS'] ?? 'ssh-key.# account.#').split(' ').filter(Boolean);
// A single active consumer keeps the order. RabbitMQ drops messages redelivered more often than the limit.
const queueArguments = { 'x-queue-type': 'quorum', 'x-single-active-consumer': true, 'x-delivery-limit': 1_000_000 };

/** Passes messages to the key table, one at a time, while the application runs. */
@Injectable()
export class EventSubscriber implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #log = new Logger(EventSubscriber.name);
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  constructor(private readonly keys: KeyTable) {}

  onApplicationBootstrap(): void {
    this.#running = this.#run(this.#stopping.signal);
  }

  /** Runs before `onApplicationShutdown` hooks, so that the table stays open until the last message is handled. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#subscribe(signal).catch((error: Error) => this.#log.warn(error.message));
      await pause(1_000, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Handles messages until any failure. Unacknowledged messages are redelivered in order. */
  async #subscribe(signal: AbortSignal): Promise<void> {
    const connection = (await connect(url, { noDelay: true, timeout: 10_000 })).on('error', console.error);
    const timer = setTimeout(() => void connection.close().catch(console.error), 10_000);
    try {
      const channel = await connection.createChannel();
      const messages = on(channel, 'delivery', { close: ['close', 'cancel'], signal });
      await channel.assertQueue(queue, { durable: true, arguments: queueArguments });
      for (const binding of bindings) await channel.bindQueue(queue, 'keyfold.events', binding);
      await channel.prefetch(100);
      await channel.consume(queue, () => undefined);
      clearTimeout(timer);
      for await (const [message] of messages) this.#handle(message as ConsumeMessage, channel);
    } finally {
      clearTimeout(timer);
      await Promise.race([connection.close().catch(() => undefined), pause(3_000)]);
    }
  }

  #handle(message: ConsumeMessage, channel: Channel): void {
    const event = this.keys.eventOf(message.properties.headers ?? {}, message.content.toString());
    if (!event) {
      this.#log.warn('rejected a message that is not a Keyfold event');
      return channel.reject(message, false);
    }
    if (this.keys.apply(event)) this.#log.log(`applied ${event.id} ${event.type}`);
    channel.ack(message);
  }
}

@Module({ providers: [KeyTable, EventSubscriber] })
class SubscriberModule {}

const app = await NestFactory.createApplicationContext(SubscriberModule);
app.enableShutdownHooks([], { useProcessExit: true });
