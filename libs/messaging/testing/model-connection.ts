import type { ConfirmChannel } from 'amqplib';
import { EventEmitter } from 'node:events';
import type { BrokerState } from '../src/rabbitmq/connection/broker-connection.js';

type Confirm = (error: Error | null) => void;

/** An in-memory connection that stops between an event and its listeners, which a real broker cannot be made to do. */
export class ModelConnection {
  state: BrokerState = 'connected';
  readonly channels: EventEmitter[] = [];
  /** The confirms that are still to be sent. */
  readonly confirms: Confirm[] = [];
  /** Whether messages with a routing key are confirmed by themselves. */
  confirmsSoon: (routingKey: string) => boolean = () => false;
  /** New channels are closed, but emit no `close`. */
  makesClosed = false;
  reconnected = () => {};

  onConnected(listener: () => void): () => void {
    this.reconnected = listener;
    return () => undefined;
  }

  async confirmChannel(): Promise<ConfirmChannel> {
    const isClosed = this.makesClosed;
    const unconfirmed: Promise<void>[] = [];
    const channel = Object.assign(new EventEmitter(), {
      close: async () => void channel.emit('close'),
      publish: (
        _exchange: string,
        key: string,
        _body: Buffer,
        _properties?: object,
        confirm: Confirm = () => undefined,
      ) => {
        if (isClosed) throw Object.assign(new Error('Channel closed'), { name: 'IllegalOperationError' });
        const { promise, resolve } = Promise.withResolvers<void>();
        unconfirmed.push(promise);
        const confirmed: Confirm = (error) => {
          confirm(error);
          resolve();
        };
        if (this.confirmsSoon(key)) queueMicrotask(() => confirmed(null));
        else this.confirms.push(confirmed);
        return true;
      },
      waitForConfirms: () => Promise.all(unconfirmed),
    });
    this.channels.push(channel);
    return channel as unknown as ConfirmChannel;
  }
}

/** Returns the error with which amqplib rejects an operation after the broker closed the channel. */
export const channelRefusal = (code: number, name: string, reason: string): Error =>
  Object.assign(
    new Error(`Operation failed: QueueDeclare; ${code} (${name.replace('_', '-')}) with message "${name} - ${reason}"`),
    { code },
  );

/** As RabbitMQ 4.2.6 and later refuse to check a queue or an exchange. */
export const accessRefused = (object: string): Error =>
  channelRefusal(403, 'ACCESS_REFUSED', `configure access to ${object} in vhost 'keyfold' refused for user 'worker'`);

export const notFound = (object: string): Error => channelRefusal(404, 'NOT_FOUND', `no ${object} in vhost 'keyfold'`);
