import type { ConfirmChannel } from 'amqplib';
import { EventEmitter } from 'node:events';
import type { BrokerState } from '../src/rabbitmq/broker-connection.js';

type Confirm = (error: Error | null) => void;

/** An in-memory connection that stops between an event and its listeners, which a real broker cannot be made to do. */
export class ModelConnection {
  state: BrokerState = 'connected';
  readonly channels: EventEmitter[] = [];
  readonly confirms: Confirm[] = [];
  /** New channels are closed, but emit no `close`. */
  makesClosed = false;
  reconnected = () => {};

  onConnected(listener: () => void): () => void {
    this.reconnected = listener;
    return () => undefined;
  }

  async confirmChannel(): Promise<ConfirmChannel> {
    const isClosed = this.makesClosed;
    const channel = Object.assign(new EventEmitter(), {
      close: async () => undefined,
      publish: (_exchange: string, _key: string, _body: Buffer, _properties: object, confirm: Confirm) => {
        if (isClosed) throw Object.assign(new Error('Channel closed'), { name: 'IllegalOperationError' });
        this.confirms.push(confirm);
        return true;
      },
    });
    this.channels.push(channel);
    return channel as unknown as ConfirmChannel;
  }
}
