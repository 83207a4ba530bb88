import { DomainError } from '@keyfold/domain';
import { StoreUnavailable } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { ConsumedQueues, settled, until } from '../../../testing/consumed-queues.js';

describe('a question', () => {
  it('is answered with the result of its handler', async () => {
    const queues = await ConsumedQueues.open();
    const transport = queues.answerQuestions({ ask: (data) => ({ echoed: data }) });
    expect(await queues.ask(Buffer.from('{"n":1}'))).toEqual({ ok: true, data: { echoed: { n: 1 } } });
    await settled(transport, 1);
    expect(transport.queueStatus().outcomes).toEqual({ answered: 1 });
  });

  it.each([
    ['an outage', new StoreUnavailable('the password is secret'), 'store-unavailable', true],
    ['a refusal', new DomainError('account-not-found'), 'account-not-found', false],
    ['a bug', new Error('the password is secret'), 'unexpected-error', true],
  ])('that fails with %s is answered with a code and whether a retry can help', async (_, error, code, retryable) => {
    const queues = await ConsumedQueues.open();
    const transport = queues.answerQuestions({ ask: () => Promise.reject(error) });
    const answer = await queues.ask(Buffer.from('{}'));
    expect(answer).toEqual({ ok: false, error: { code, message: expect.any(String) as string, retryable } });
    expect(JSON.stringify(answer)).not.toContain('secret');
    await settled(transport, 1);
    expect(transport.queueStatus().outcomes).toEqual({ refused: 1 });
  });

  it.each([
    ['malformed JSON', '{', {}, 'body-malformed'],
    ['too large a body', 'x'.repeat(65_537), {}, 'body-too-large'],
    ['an unknown type', '{}', { type: 'other' }, 'type-unknown'],
    ['no type', '{}', { type: '' }, 'type-unknown'],
  ])('with %s is answered with an error', async (_, body, options, code) => {
    const queues = await ConsumedQueues.open();
    queues.answerQuestions({ ask: () => 1 });
    expect(await queues.ask(Buffer.from(body), options)).toMatchObject({
      ok: false,
      error: { code, retryable: false },
    });
  });

  it.each([
    ['another queue', 'commands'],
    ['(none)', ''],
    ['a name with a line break', 'amq.rabbitmq.reply-to.g1\n'],
    ['an address without a key', 'amq.rabbitmq.reply-to.g1h2AA=='],
  ])('with the reply-to %s is neither handled nor answered, and reported once', async (_, replyTo) => {
    const queues = await ConsumedQueues.open();
    let handled = 0;
    const transport = queues.answerQuestions({ ask: () => ++handled });
    for (let n = 0; n < 2; n++) queues.channel.sendToQueue('questions', Buffer.from('{}'), { type: 'ask', replyTo });
    await settled(transport, 2);
    expect(transport.queueStatus().outcomes).toEqual({ ignored: 2 });
    expect(handled).toBe(0);
    expect(queues.reported).toEqual(['a question has an invalid reply-to']);
    expect(await queues.ready('commands')).toBe(0);
  });

  it('with a forged reply-to, for which the broker may close the connection, does not disturb later questions', async () => {
    const queues = await ConsumedQueues.open();
    const transport = queues.answerQuestions({ ask: () => 1 });
    let lost = 0;
    for (const connection of [queues.publishing, queues.consuming]) connection.onConnected(() => lost++);
    const nodeName = Buffer.concat([Buffer.from([131, 88, 118, 0, 9]), Buffer.from('reply@999'), Buffer.alloc(12)]);
    for (const made of [
      'g1h2AA==.abc',
      'YWJj.abc',
      `${nodeName.toString('base64')}.${Buffer.alloc(16).toString('base64')}`,
    ])
      queues.channel.sendToQueue('questions', Buffer.from('{}'), {
        type: 'ask',
        replyTo: `amq.rabbitmq.reply-to.${made}`,
      });
    await settled(transport, 3);
    await queues.channel.checkQueue('questions');
    // A reply in flight is lost when the connection closes, so the requester asks again.
    expect(await queues.askUntilAnswered(Buffer.from('{}'))).toEqual({ ok: true, data: 1 });
    expect(lost).toBe(0);
  });

  it('that expired while it was handled is not answered', async () => {
    const queues = await ConsumedQueues.open();
    const transport = queues.answerQuestions({ ask: () => new Promise(() => undefined) });
    const replyTo = 'amq.rabbitmq.reply-to.g1h2AA==.abc';
    // Without a consumer, it would expire in the queue.
    await until(
      () => transport.queueStatus().state,
      (state) => state === 'consuming',
    );
    queues.channel.sendToQueue('questions', Buffer.from('{}'), { type: 'ask', replyTo, expiration: '1000' });
    await settled(transport, 1);
    expect(transport.queueStatus().outcomes).toEqual({ ignored: 1 });
    expect(queues.reported).toContain('a question timed out');
  });
});
