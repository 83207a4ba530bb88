import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { limitedUser } from '../../../../../test/support/rabbitmq/limited-user.js';
import { ConsumedQueues, until } from '../../../testing/consumed-queues.js';
import { BrokerConnection } from '../connection/broker-connection.js';
import type { QueueTransport } from './queue-transport.js';

const consuming = (transport: QueueTransport) =>
  until(
    () => transport.queueStatus(),
    ({ state }) => state === 'consuming',
  );
const done = (transport: QueueTransport, count: number) =>
  until(
    () => transport.queueStatus(),
    ({ outcomes, inFlight }) => outcomes.done === count && inFlight === 0,
  );

describe('a consumed queue', () => {
  it('delivers a message to the handler of its type, with the context from its headers', async () => {
    const queues = await ConsumedQueues.open();
    const seen: unknown[] = [];
    const transport = queues.consumeCommands({ work: (data, context) => void seen.push({ data, ...context }) });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const id = queues.send(
      { n: 1 },
      { type: 'other', headers: { cloudEvents_type: 'work', cloudEvents_traceparent: traceparent } },
    );
    await done(transport, 1);
    expect(seen).toEqual([
      {
        data: { n: 1 },
        id,
        type: 'work',
        attempt: 1,
        correlation: id,
        traceparent,
        redelivered: false,
        signal: expect.any(AbortSignal) as AbortSignal,
      },
    ]);
    expect(await queues.ready('commands')).toBe(0);
  });

  it('handles no more messages at a time than its prefetch', async () => {
    const queues = await ConsumedQueues.open();
    let [running, most] = [0, 0];
    const transport = queues.consumeCommands(
      {
        work: async () => {
          most = Math.max(most, ++running);
          await sleep(5);
          running -= 1;
        },
      },
      { prefetch: 3 },
    );
    for (let n = 0; n < 30; n++) queues.send(n);
    await done(transport, 30);
    expect(most).toBe(3);
  });
});

describe('closing the transport', () => {
  it('waits for running handlers, whose messages are acknowledged and not redelivered', async () => {
    const queues = await ConsumedQueues.open();
    const gate = Promise.withResolvers<void>();
    let [begun, finished] = [0, 0];
    const transport = queues.consumeCommands(
      {
        work: async () => {
          begun += 1;
          await gate.promise;
          finished += 1;
        },
      },
      { prefetch: 5 },
    );
    for (let n = 0; n < 8; n++) queues.send(n);
    await until(
      () => begun,
      (count) => count === 5,
    );
    const closed = transport.close();
    await until(
      () => transport.queueStatus().state,
      (state) => state === 'cancelled',
    );
    // A transport that did not wait for handlers would have requeued their messages by now.
    await sleep(200);
    expect({ ready: await queues.ready('commands'), ...transport.queueStatus() }).toMatchObject({
      ready: 3,
      inFlight: 5,
    });
    gate.resolve();
    await closed;
    expect({ begun, finished, ...transport.queueStatus().outcomes }).toEqual({ begun: 5, finished: 5, done: 5 });
    const left = [await queues.take('commands'), await queues.take('commands'), await queues.take('commands')];
    expect(left.map(({ content }) => content.toString())).toEqual(['5', '6', '7']);
    expect(left.map(({ fields }) => fields.redelivered)).toEqual([false, false, false]);
    expect(await queues.ready('commands')).toBe(0);
  });

  it('aborts a handler that does not finish and requeues its message', async () => {
    const queues = await ConsumedQueues.open();
    let signal: AbortSignal | undefined;
    const transport = queues.consumeCommands(
      { work: (_, context) => new Promise(() => (signal = context.signal)) },
      { drainTimeout: 50 },
    );
    queues.send(1);
    await until(
      () => signal,
      (seen) => seen !== undefined,
    );
    await transport.close();
    expect(signal?.aborted).toBe(true);
    expect((await queues.take('commands')).fields.redelivered).toBe(true);
  });
});

describe('a consumer restarts', () => {
  it('each time its queue was deleted and redeclared', async () => {
    const queues = await ConsumedQueues.open();
    const transport = queues.consumeCommands({ work: () => undefined });
    for (let round = 1; round <= 3; round++) {
      await consuming(transport);
      await queues.channel.deleteQueue('commands');
      await until(
        () => transport.queueStatus().state,
        (state) => state === 'cancelled',
      );
      expect(transport.queueStatus().problem).toBeDefined();
      await queues.declare();
      queues.send(round);
      await done(transport, round);
    }
  });

  it('when its queue is missing for a while, without losing the connection', async () => {
    const queues = await ConsumedQueues.open();
    const lost = vi.fn<() => void>();
    const transport = queues.consumeCommands({ work: () => undefined });
    await consuming(transport);
    await queues.channel.deleteQueue('commands');
    await until(
      () => transport.queueStatus().problem ?? '',
      (problem) => problem.includes(`no queue 'commands'`),
    );
    // While it comes or goes, RabbitMQ may end the connection of those who ask for a quorum queue (error 541).
    queues.consuming.onConnected(lost);
    const attempts = vi.spyOn(queues.consuming, 'channel');
    await until(
      () => attempts.mock.calls.length,
      (count) => count >= 4,
    );
    expect(lost).not.toHaveBeenCalled();
    expect(queues.consuming.state).toBe('connected');
    await queues.declare();
    queues.send(1);
    await done(transport, 1);
  });

  it('after the broker closed its channel', async () => {
    const queues = await ConsumedQueues.open();
    const channels: { emit(event: string): boolean; ack(message: unknown): void }[] = [];
    const channel = queues.consuming.channel.bind(queues.consuming);
    queues.consuming.channel = async () => {
      const opened = await channel();
      channels.push(opened);
      return opened;
    };
    const transport = queues.consumeCommands({ work: () => undefined });
    for (let round = 1; round <= 3; round++) {
      await consuming(transport);
      // The broker closes the channel on an acknowledgement of an unknown delivery.
      channels.at(-1)!.ack({ fields: { deliveryTag: 9_999 } });
      await until(
        () => transport.queueStatus().state,
        (state) => state !== 'consuming',
      );
      queues.send(round);
      await done(transport, round);
      expect(queues.consuming.state).toBe('connected');
    }
  });

  it('after its connection was closed, and unacknowledged messages are redelivered', async () => {
    const queues = await ConsumedQueues.open();
    const gate = Promise.withResolvers<void>();
    const seen: boolean[] = [];
    const transport = queues.consumeCommands({
      work: async (_, { redelivered }) => {
        seen.push(redelivered);
        if (!redelivered) await gate.promise;
      },
    });
    queues.send(1);
    await until(
      () => seen.length,
      (count) => count === 1,
    );
    await closeConnections(queues, 'keyfold consumer');
    await done(transport, 1);
    gate.resolve();
    expect(seen).toEqual([false, true]);
    expect(transport.queueStatus()).toMatchObject({ redelivered: 1, state: 'consuming' });
    expect(await queues.ready('commands')).toBe(0);
  });

  it('once a queue that was missing at first is declared', async () => {
    const queues = await ConsumedQueues.open();
    await queues.channel.deleteQueue('commands');
    const transport = queues.consumeCommands({ work: () => undefined });
    await until(
      () => transport.queueStatus().problem,
      (problem) =>
        problem !== undefined && problem.includes(`no queue 'commands'`) && problem.includes('keyfold topology apply'),
    );
    await queues.declare();
    queues.send(1);
    await done(transport, 1);
  });

  it('once its user may read the queue', async () => {
    const queues = await ConsumedQueues.open();
    const url = await limitedUser(queues.broker, {});
    const connection = await BrokerConnection.open(url, { role: 'consumer' });
    onTestFinished(() => connection.close());
    const transport = queues.consumeCommands({ work: () => undefined }, {}, connection);
    await until(
      () => transport.queueStatus().problem,
      (problem) => problem !== undefined && /access to queue 'commands'.*: grant the user/.test(problem),
    );
    const { username } = new URL(url);
    const permissions = { configure: '^$', write: '^$', read: '^commands$' };
    await queues.broker.api('PUT', `/permissions/${queues.broker.vhostPath}/${username}`, permissions);
    queues.send(1);
    await done(transport, 1);
  });
});

/** The management API lists a new connection only after a few seconds. */
async function closeConnections({ broker }: ConsumedQueues, name: string): Promise<void> {
  type Listed = { name: string; client_properties: { connection_name?: string } };
  const listed = await until(
    async () => (await broker.api<Listed[]>('GET', `/vhosts/${broker.vhostPath}/connections`)) ?? [],
    (all) => all.some(({ client_properties }) => client_properties.connection_name?.startsWith(name)),
  );
  for (const { name: id, client_properties } of listed) {
    if (client_properties.connection_name?.startsWith(name))
      await broker.api('DELETE', `/connections/${encodeURIComponent(id)}`);
  }
}
