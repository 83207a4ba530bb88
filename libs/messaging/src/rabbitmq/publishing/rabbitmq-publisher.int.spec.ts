import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../../../../test/support/eventually.js';
import { freshBroker } from '../../../../../test/support/rabbitmq/fresh-broker.js';
import { limitedUser } from '../../../../../test/support/rabbitmq/limited-user.js';
import { TcpProxy } from '../../../../../test/support/tcp-proxy.js';
import type { OutgoingMessage } from '../../publishing.js';
import { BrokerConnection } from '../connection/broker-connection.js';
import { RabbitMqPublisher, type RabbitMqPublisherOptions } from './rabbitmq-publisher.js';

const REJECTING = { 'x-queue-type': 'quorum', 'x-max-length': 1, 'x-overflow': 'reject-publish' };

const message = (type: string, details: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: randomUUID(),
  type,
  at: 1_768_478_400_123,
  headers: { cloudEvents_type: type },
  body: Buffer.from('{"a":1}'),
  ...details,
});

/** Opens an exchange with a queue for `kept.#`, a publisher behind a proxy, and a direct channel. */
async function openPublisher(options: Partial<RabbitMqPublisherOptions> = {}) {
  const { url } = await freshBroker();
  const proxy = await TcpProxy.start(Number(new URL(url).port || 5672));
  onTestFinished(() => proxy.close());
  const open = async (address: string, role: 'publisher' | 'operator') => {
    const connection = await BrokerConnection.open(address, { role });
    onTestFinished(() => connection.close());
    await eventually(() => expect(connection.state).toBe('connected'));
    return connection;
  };
  const channel = await (await open(url, 'operator')).channel();
  await channel.assertExchange('events', 'topic', { durable: true });
  await channel.assertQueue('kept', { durable: true });
  await channel.bindQueue('kept', 'events', 'kept.#');
  const connection = await open(proxy.through(url), 'publisher');
  const publisher = new RabbitMqPublisher(connection, { exchange: 'events', appId: 'keyfold/test', ...options });
  onTestFinished(() => publisher.close());
  await eventually(() => expect(publisher.isReady).toBe(true));
  const received = async (queue = 'kept') => {
    const messages = [];
    for (let got = await channel.get(queue, { noAck: true }); got; got = await channel.get(queue, { noAck: true })) {
      messages.push(got);
    }
    return messages;
  };
  return { publisher, connection, proxy, channel, received };
}

describe('publishing', () => {
  it('resolves when the message is in the queues, with all properties for subscribers', async () => {
    const { publisher, received } = await openPublisher();
    const sent = message('kept.once');
    await publisher.publish(sent);
    const [got] = await received();
    expect(got!.content).toEqual(sent.body);
    expect(got!.fields).toMatchObject({ exchange: 'events', routingKey: 'kept.once' });
    expect(got!.properties).toMatchObject({
      messageId: sent.id,
      type: 'kept.once',
      contentType: 'application/json',
      deliveryMode: 2,
      timestamp: 1_768_478_400,
      appId: 'keyfold/test',
      headers: { cloudEvents_type: 'kept.once' },
    });
  });

  it('publishTo sends a message to one queue only', async () => {
    const { publisher, channel, received } = await openPublisher();
    await channel.assertQueue('alone', { durable: true });
    await publisher.publishTo('alone', message('kept.once'));
    expect(await received('alone')).toHaveLength(1);
    expect(await received()).toEqual([]);
  });

  it('keeps the order of the calls when most messages wait for a place in the window', async () => {
    const { publisher, received } = await openPublisher({ window: 3 });
    const sent = Array.from({ length: 200 }, (_, index) => message('kept.many', { id: `m-${index}` }));
    await Promise.all(sent.map((each) => publisher.publish(each)));
    expect((await received()).map(({ properties }) => properties.messageId)).toEqual(sent.map(({ id }) => id));
  });
});

describe('a refused message', () => {
  it('makes publish reject if a queue is full, and later messages arrive', async () => {
    const { publisher, channel, received } = await openPublisher();
    await channel.assertQueue('full', { durable: true, arguments: REJECTING });
    await channel.bindQueue('full', 'events', 'full');
    let confirmed = 0;
    await expect(
      (async () => {
        for (; confirmed < 20; confirmed++) await publisher.publish(message('full'));
      })(),
    ).rejects.toHaveProperty('name', 'MessageRefused');
    const results = await Promise.allSettled(
      ['full', 'kept.1', 'full', 'kept.2'].map((type) => publisher.publish(message(type))),
    );
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await received('full')).toHaveLength(confirmed);
    expect(await received()).toHaveLength(2);
  });

  it('makes publish reject if no queue matches, even if another message with the same id arrives', async () => {
    const { publisher, received } = await openPublisher();
    const id = randomUUID();
    const results = await Promise.allSettled([
      publisher.publish(message('kept.once', { id })),
      publisher.publish(message('unwanted', { id })),
      publisher.publishTo('no such queue', message('kept.once', { id })),
    ]);
    expect(results.map((result) => (result.status === 'rejected' ? String(result.reason) : 'confirmed'))).toEqual([
      'confirmed',
      `MessageRefused: the broker refused ${id}: no queue is bound for unwanted: run keyfold topology apply`,
      `MessageRefused: the broker refused ${id}: there is no queue no such queue`,
    ]);
    expect(await received()).toHaveLength(1);
  });

  it('makes publish reject with the missing permission and the advice to grant it', async () => {
    const broker = await freshBroker();
    const connection = await BrokerConnection.open(await limitedUser(broker, {}), { role: 'publisher' });
    onTestFinished(() => connection.close());
    const problems: string[] = [];
    const onProblem = (problem: string) => void problems.push(problem);
    const publisher = new RabbitMqPublisher(connection, { exchange: 'events', appId: 'keyfold/test', onProblem });
    onTestFinished(() => publisher.close());
    await eventually(() => expect(publisher.isReady).toBe(true));
    const refusal = /access to exchange 'amq\.default' .* refused for user '.*': grant the user the permissions/;
    await expect(publisher.publishTo('kept', message('kept'))).rejects.toThrow(refusal);
    expect(problems).toEqual([expect.stringMatching(refusal)]);
  });

  it.each([
    ['its headers are too large', message('kept', { headers: { large: 'x'.repeat(70_000) } })],
    ['its type is too long for a routing key', message('k'.repeat(256))],
  ])('a message is unsendable if %s, and later messages arrive', async (_, unsendable) => {
    const { publisher, received } = await openPublisher();
    const results = await Promise.allSettled([
      publisher.publish(unsendable),
      publisher.publish(message('kept.behind')),
    ]);
    expect(results).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ name: 'UnsendableMessage' }) },
      { status: 'fulfilled', value: undefined },
    ]);
    expect(await received()).toHaveLength(1);
  });
});

describe('a broker outage', () => {
  const unavailable = { status: 'rejected', reason: expect.objectContaining({ name: 'BrokerUnavailable' }) };

  it('rejects messages in flight with an unknown outcome and waiting messages as not sent', async () => {
    const { publisher, proxy, received } = await openPublisher({ window: 2 });
    const ready = vi.fn<() => void>();
    publisher.onReady(ready);
    proxy.setDroppingResponses(true);
    const sent = Array.from({ length: 4 }, (_, index) => message('kept', { id: `m-${index}` }));
    const results = Promise.allSettled(sent.map((each) => publisher.publish(each)));
    const arrived: unknown[] = [];
    await eventually(async () => {
      arrived.push(...(await received()).map(({ properties }) => properties.messageId));
      expect(arrived).toEqual(['m-0', 'm-1']);
    });
    proxy.setDroppingResponses(false);
    proxy.resetConnections();
    expect((await results).map((result) => result.status === 'rejected' && String(result.reason))).toEqual([
      expect.stringMatching(/^BrokerUnavailable: it is unknown whether m-0 arrived: /),
      expect.stringMatching(/^BrokerUnavailable: it is unknown whether m-1 arrived: /),
      expect.stringMatching(/^BrokerUnavailable: (cannot send m-2|m-2 was not sent): /),
      expect.stringMatching(/^BrokerUnavailable: (cannot send m-3|m-3 was not sent): /),
    ]);
    expect(ready).not.toHaveBeenCalled();
    await eventually(() => expect(ready).toHaveBeenCalledTimes(1));
    await publisher.publish(message('kept', { id: 'm-4' }));
    expect((await received()).map(({ properties }) => properties.messageId)).toEqual(['m-4']);
  });

  it('rejects new messages immediately while it lasts', async () => {
    const { publisher, proxy, connection } = await openPublisher();
    await proxy.setRefusing(true);
    proxy.resetConnections();
    await eventually(() => expect(connection.state).toBe('disconnected'));
    expect(publisher.isReady).toBe(false);
    await expect(publisher.publish(message('kept'))).rejects.toHaveProperty('name', 'BrokerUnavailable');
    await proxy.setRefusing(false);
    await eventually(() => publisher.publish(message('kept')));
  });

  it('a missing confirm counts as an outage, and another channel is opened', async () => {
    const { publisher, proxy } = await openPublisher({ confirmTimeout: 300 });
    proxy.setDroppingResponses(true);
    const results = await Promise.allSettled([publisher.publish(message('kept')), publisher.publish(message('kept'))]);
    expect(results).toEqual([unavailable, unavailable]);
    expect(String((results[0] as PromiseRejectedResult).reason)).toMatch(/no confirm within 300 ms/);
    proxy.setDroppingResponses(false);
    proxy.resetConnections();
    await eventually(() => publisher.publish(message('kept')));
  });

  it('a closed channel is replaced while the connection stays open', async () => {
    const { publisher, channel, connection } = await openPublisher();
    await channel.deleteExchange('events');
    await expect(publisher.publish(message('kept'))).rejects.toHaveProperty('name', 'BrokerUnavailable');
    expect(connection.state).toBe('connected');
    await channel.assertExchange('events', 'topic', { durable: true });
    await channel.bindQueue('kept', 'events', '#');
    await eventually(() => publisher.publish(message('kept')));
  });
});
