import { BrokerConnection, RabbitMqPublisher } from '@keyfold/messaging/rabbitmq';
import { BrokerUnavailable } from '@keyfold/messaging';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';

/** More than RabbitMQ reads from a connection for a queue that takes none. */
const EVENTS = 1_000;
const EVENTUALLY = { timeout: 120_000, interval: 100 };

let node: RabbitmqNode;
let connection: BrokerConnection;
let publisher: RabbitMqPublisher;
beforeAll(async () => {
  node = await RabbitmqNode.start();
  connection = await BrokerConnection.open(node.url, { role: 'publisher' });
  await eventually(() => expect(connection.state).toBe('connected'));
  const channel = await connection.channel();
  await channel.assertExchange('events', 'topic', { durable: true });
  await channel.assertQueue('stuck', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.bindQueue('stuck', 'events', '#');
  publisher = new RabbitMqPublisher(connection, { exchange: 'events', appId: 'keyfold/test' });
  await eventually(() => expect(publisher.isReady).toBe(true));
});
afterAll(async () => {
  await publisher?.close();
  await connection?.close();
  await node?.dispose();
});

/** Publishes an event until it is confirmed, like the relay. */
async function publish(id: string): Promise<void> {
  for (;;) {
    await expect.poll(() => publisher.isReady, EVENTUALLY).toBe(true);
    const event = { id, type: 'account.deleted', at: 0, headers: {}, body: Buffer.from('{}') };
    const failure = await publisher.publish(event).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!failure) return;
    expect(failure).toBeInstanceOf(BrokerUnavailable);
  }
}

it('a quorum queue without an answer stalls only its own events, over several channels', async () => {
  await publish('first');
  await node.ctl('eval', 'sys:suspend(list_to_existing_atom("%2F_stuck")).');
  const published = Promise.all(Array.from({ length: EVENTS }, (_, index) => publish(`event ${index}`)));
  const seen = new Set<boolean | undefined>();
  await expect
    .poll(() => {
      seen.add(publisher.stall?.isTotal);
      return publisher.stall?.seconds;
    }, EVENTUALLY)
    .toBeGreaterThan(30);
  expect([...seen]).toEqual([undefined, false]);
  await node.ctl('eval', 'sys:resume(list_to_existing_atom("%2F_stuck")).');
  await published;
  expect(publisher.stall).toBeUndefined();
});
