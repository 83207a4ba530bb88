import type { ConsumeMessage } from 'amqplib';
import { describe, expect, it } from 'vitest';
import { ConsumedQueues, until } from '../../../testing/consumed-queues.js';
import { Settlement } from './consumer.js';

/** Delivers a message and counts how often it is reported as settled. */
async function delivered(queues: ConsumedQueues) {
  queues.send('once');
  const channel = await queues.consuming.channel();
  const lost = new AbortController();
  channel.on('close', () => lost.abort());
  const message = await new Promise<ConsumeMessage>((deliver) => {
    void channel.consume('commands', (received) => received && deliver(received));
  });
  const settled = { times: 0 };
  const settlement = new Settlement(channel, message, lost.signal, () => void settled.times++);
  return { channel, settlement, settled, lost: lost.signal };
}

const connected = async (): Promise<ConsumedQueues> => {
  const queues = await ConsumedQueues.open();
  await until(
    () => queues.consuming.state,
    (state) => state === 'connected',
  );
  return queues;
};

describe('a delivery', () => {
  it('is settled by the first answer; later ones, on which the broker would close the channel, are not sent', async () => {
    const queues = await connected();
    const { channel, settlement, settled, lost } = await delivered(queues);
    settlement.ack();
    settlement.ack();
    settlement.requeue();
    // The broker answers in order, so everything sent before has arrived by then.
    await channel.checkQueue('commands');
    expect({ ...settled, lost: lost.aborted }).toEqual({ times: 1, lost: false });
    await channel.close();
    expect(await queues.ready('commands')).toBe(0);
  });

  it('is redelivered if its channel is gone, without an answer', async () => {
    const queues = await connected();
    const { channel, settlement, settled } = await delivered(queues);
    await channel.close();
    settlement.ack();
    expect(settled.times).toBe(1);
    expect((await queues.take('commands')).fields.redelivered).toBe(true);
  });
});
