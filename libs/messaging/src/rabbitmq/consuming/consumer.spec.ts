import type { Channel } from 'amqplib';
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { accessRefused } from '../../../testing/model-connection.js';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { Consumer } from './consumer.js';

it('consumes a queue that its user may read but not check', async () => {
  const consumed: string[] = [];
  const channel = Object.assign(new EventEmitter(), {
    checkQueue: async (queue: string) => {
      throw accessRefused(`queue '${queue}'`);
    },
    prefetch: async () => ({}),
    close: async () => undefined,
    consume: async (queue: string) => {
      consumed.push(queue);
      return { consumerTag: 'tag' };
    },
  });
  const connection = { channel: async () => channel as unknown as Channel } as unknown as BrokerConnection;
  await Consumer.open(connection, { queue: 'commands', prefetch: 1, onDelivery: () => undefined });
  expect(consumed).toEqual(['commands']);
});
