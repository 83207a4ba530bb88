import { DomainError } from '@keyfold/domain';
import { Contended, StoreUnavailable } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { ConsumedQueues, outcomesOf, settled, until } from '../../../testing/consumed-queues.js';
import { InvalidMessage } from '../../consuming.js';

describe('a handler that fails', () => {
  it.each([
    ['a refusal of the domain', new DomainError('ssh-key-not-found'), 'ssh-key-not-found'],
    ['an invalid message', new InvalidMessage('message-invalid', 'no account'), 'message-invalid'],
  ])('with %s has its message parked unchanged, without a retry', async (_, error, code) => {
    const queues = await ConsumedQueues.open();
    const transport = queues.consumeCommands({ work: () => Promise.reject(error) });
    const before = new Date().toISOString();
    const messageId = queues.send(
      { n: 1 },
      { headers: { own: 'kept', 'x-death': 'no', 'x-first-death-queue': 'no', 'x-last-death-queue': 'no' } },
    );
    const parked = await queues.take('parked');
    expect(parked.content.toString()).toBe('{"n":1}');
    expect(parked.properties).toMatchObject({ messageId, type: 'work', deliveryMode: 2 });
    // Added by the broker.
    const { 'x-delivery-count': _count, ...headers } = parked.properties.headers!;
    expect(headers).toEqual({
      own: 'kept',
      'x-error-code': code,
      'x-attempt': 1,
      'x-first-failed-at': expect.any(String) as string,
    });
    expect(Date.parse(headers['x-first-failed-at'] as string)).toBeGreaterThanOrEqual(Date.parse(before));
    await settled(transport, 1);
    expect(outcomesOf(transport)).toEqual({ parked: 1 });
    expect(await queues.ready('commands')).toBe(0);
  });

  it('unexpectedly is attempted ten times, then parked with the time of the first failure', async () => {
    const queues = await ConsumedQueues.open();
    const attempts: number[] = [];
    const transport = queues.consumeCommands({
      work: (_, { attempt }) => {
        attempts.push(attempt);
        throw new Error('a bug');
      },
    });
    const sent = Date.now();
    queues.send(1);
    const parked = await queues.take('parked');
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(parked.properties.headers).toMatchObject({ 'x-error-code': 'unexpected-error', 'x-attempt': 10 });
    expect(parked.properties.headers).not.toHaveProperty('x-death');
    const firstFailed = Date.parse(parked.properties.headers!['x-first-failed-at'] as string);
    // Nine delays of 50 ms lie between the first attempt and the last.
    expect(Date.now() - firstFailed).toBeGreaterThanOrEqual(450);
    expect(firstFailed).toBeGreaterThanOrEqual(sent - 1);
    await settled(transport, 10);
    expect(outcomesOf(transport)).toEqual({ retried: 9, parked: 1 });
  });

  it.each([new StoreUnavailable('away'), new Contended('too fast')])(
    'with %s is retried until the outage ends, without counting attempts',
    async (error) => {
      const queues = await ConsumedQueues.open();
      const attempts: number[] = [];
      const transport = queues.consumeCommands({
        work: (_, { attempt }) => {
          attempts.push(attempt);
          if (attempts.length <= 12) throw error;
        },
      });
      queues.send(1);
      await settled(transport, 13);
      expect(outcomesOf(transport)).toEqual({ retried: 12, done: 1 });
      expect(new Set(attempts)).toEqual(new Set([1]));
    },
  );

  it('by not finishing is aborted at its timeout and retried', async () => {
    const queues = await ConsumedQueues.open();
    const reasons: unknown[] = [];
    const transport = queues.consumeCommands(
      {
        work: (_, { attempt, signal }) => {
          if (attempt > 1) return undefined;
          signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name));
          return new Promise(() => undefined);
        },
      },
      { handlerTimeout: 100 },
    );
    queues.send(1);
    await settled(transport, 2);
    expect(outcomesOf(transport)).toEqual({ retried: 1, done: 1 });
    expect(reasons).toEqual(['HandlerTimedOut']);
  });

  it('after its timeout does not settle its message twice', async () => {
    const queues = await ConsumedQueues.open();
    const late = Promise.withResolvers<void>();
    const transport = queues.consumeCommands(
      { work: (_, { attempt }) => (attempt === 1 ? late.promise : undefined) },
      { handlerTimeout: 50 },
    );
    queues.send(1);
    await settled(transport, 2);
    late.resolve();
    queues.send(2, { type: 'unknown' });
    await settled(transport, 3);
    // On a second acknowledgement, the broker would have closed the channel and redelivered everything.
    expect(transport.queueStatus()).toMatchObject({ redelivered: 0, outcomes: { retried: 1, done: 1, parked: 1 } });
  });
});

describe('a copy that the broker refuses', () => {
  it('is resent until it is accepted, and the message is kept meanwhile', async () => {
    const queues = await ConsumedQueues.open();
    await queues.channel.deleteQueue('parked');
    const transport = queues.consumeCommands({ work: () => Promise.reject(new DomainError('ssh-key-not-found')) });
    queues.send('kept');
    await until(
      () => queues.reported,
      (reported) => reported.includes('there is no queue parked'),
    );
    expect(outcomesOf(transport)).toEqual({});
    await queues.declare();
    expect((await queues.take('parked')).content.toString()).toBe('"kept"');
    await settled(transport, 1);
    expect(outcomesOf(transport)).toEqual({ parked: 1 });
  });

  it('does not prevent shutdown: the message is redelivered', async () => {
    const queues = await ConsumedQueues.open();
    await queues.channel.deleteQueue('parked');
    const refuse = () => Promise.reject(new DomainError('ssh-key-not-found'));
    const transport = queues.consumeCommands({ work: refuse }, { drainTimeout: 50 });
    queues.send('kept');
    await until(
      () => queues.reported,
      (reported) => reported.includes('there is no queue parked'),
    );
    await transport.close();
    expect((await queues.take('commands')).content.toString()).toBe('"kept"');
  });
});
