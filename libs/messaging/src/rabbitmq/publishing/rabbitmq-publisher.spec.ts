import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ModelConnection } from '../../../testing/model-connection.js';
import type { OutgoingMessage } from '../../publishing.js';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { RabbitMqPublisher } from './rabbitmq-publisher.js';

const message = (id: string): OutgoingMessage => ({ id, type: 'renamed', at: 0, headers: {}, body: Buffer.from('{}') });
let connection: ModelConnection;
const problems: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  connection = new ModelConnection();
  problems.length = 0;
});
afterEach(() => void vi.useRealTimers());

async function open(window?: number): Promise<RabbitMqPublisher> {
  const publisher = new RabbitMqPublisher(connection as unknown as BrokerConnection, {
    exchange: 'events',
    appId: 'keyfold/test',
    ...(window !== undefined && { window }),
    onProblem: (problem) => problems.push(problem),
  });
  await vi.advanceTimersByTimeAsync(200);
  return publisher;
}

describe('a publisher', () => {
  it('opens another channel if its own was closed before it listened', async () => {
    connection.makesClosed = true;
    const publisher = await open();
    connection.makesClosed = false;
    await expect(publisher.publish(message('1'))).rejects.toThrow('cannot send 1');
    await vi.advanceTimersByTimeAsync(1_000);
    const sent = publisher.publish(message('2'));
    connection.confirms[0]!(null);
    await sent;
    expect(connection.channels).toHaveLength(2);
  });

  it('opens another channel after each connect, whether or not the last one emitted `close`', async () => {
    const publisher = await open();
    const lost = publisher.publish(message('1'));
    connection.reconnected();
    await expect(lost).rejects.toThrow('it is unknown whether 1 arrived');
    await vi.advanceTimersByTimeAsync(200);
    expect(publisher.isReady).toBe(true);
    expect(connection.channels).toHaveLength(2);
  });

  it('sends waiting messages after the broker was blocked for a moment', async () => {
    const publisher = await open(1);
    const sent = [publisher.publish(message('1')), publisher.publish(message('2'))];
    connection.state = 'blocked';
    connection.confirms[0]!(null);
    await vi.advanceTimersByTimeAsync(10);
    connection.state = 'connected';
    await vi.advanceTimersByTimeAsync(200);
    connection.confirms[1]!(null);
    await Promise.all(sent);
  });

  it('reports a problem once, and again after a message was confirmed', async () => {
    const publisher = await open();
    const nack = async (id: string) => {
      const refused = publisher.publish(message(id));
      connection.confirms.pop()!(new Error('message nacked'));
      await expect(refused).rejects.toThrow('refused');
    };
    await nack('1');
    await nack('2');
    expect(problems).toEqual(['a queue refuses messages; it may be full']);
    expect(publisher.problem).toBe(problems[0]);
    const taken = publisher.publish(message('3'));
    connection.confirms.pop()!(null);
    await taken;
    expect(publisher.problem).toBeUndefined();
    await nack('4');
    expect(problems).toHaveLength(2);
  });
});

describe('a stall', () => {
  const PROBE = 'keyfold.probe';
  const CAUSE = 'keyfold.events.log, or a queue of a subscriber, takes no events. Run keyfold topology diff';

  it.each([
    ['while other events are confirmed', ['other', PROBE]],
    ['if there are no other events', [PROBE]],
  ])('of one type of events lasts until one of that type is confirmed, %s', async (_, confirmed) => {
    connection.confirmsSoon = (key) => confirmed.includes(key);
    const publisher = await open();
    const ignored = () => undefined;
    for (let second = 0; second < 60; second++) {
      // Resent after each timeout, like the relay does.
      if (connection.confirms.length === 0)
        publisher.publish(message('1')).catch(() => (connection.confirms.length = 0));
      if (confirmed.length > 1) publisher.publish({ ...message('2'), type: 'other' }).catch(ignored);
      await vi.advanceTimersByTimeAsync(1_000);
      if (second === 30) expect(publisher.stall?.seconds).toBeCloseTo(31, 0);
    }
    expect(publisher.stall).toMatchObject({ isTotal: false, reason: `no confirm for 60 seconds: ${CAUSE}` });
    expect(problems).toEqual([`no confirm for 5 seconds: ${CAUSE}`]);
    connection.confirms.pop()!(null);
    expect(publisher.stall).toBeUndefined();
  });

  it('is total after five seconds without any answer, and ends with the first one', async () => {
    const publisher = await open();
    void publisher.publish(message('1'));
    await vi.advanceTimersByTimeAsync(4_900);
    expect(publisher.stall).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100);
    const reason = 'no confirm for 5 seconds: RabbitMQ does not answer';
    expect(publisher.stall).toEqual({ isTotal: true, seconds: expect.closeTo(5, 1), reason });
    expect(problems).toEqual([reason]);
    connection.confirms[0]!(null);
    expect(publisher.stall).toBeUndefined();
  });

  it('is total while the connection is lost, and until the next one has confirmed something', async () => {
    const publisher = await open();
    connection.state = 'disconnected';
    await vi.advanceTimersByTimeAsync(5_000);
    expect(publisher.stall).toMatchObject({
      isTotal: true,
      reason: expect.stringMatching(/: RabbitMQ is disconnected$/),
    });
    expect(problems).toEqual([]);
    connection.state = 'connected';
    await vi.advanceTimersByTimeAsync(5_000);
    expect(publisher.stall).toMatchObject({ isTotal: true });
    connection.confirms.pop()!(null);
    expect(publisher.stall).toBeUndefined();
  });

  it('ends if its event is no longer resent, because another process publishes it', async () => {
    connection.confirmsSoon = (key) => key === PROBE;
    const publisher = await open();
    publisher.publish(message('1')).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(19_000);
    expect(publisher.stall).toMatchObject({ isTotal: false });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(publisher.stall).toBeUndefined();
  });
});
