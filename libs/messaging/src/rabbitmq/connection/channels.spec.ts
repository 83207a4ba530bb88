import type { Channel } from 'amqplib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { accessRefused, channelRefusal, notFound } from '../../../testing/model-connection.js';
import { attemptOnScratchChannel, channelErrorOf, channelProblemOf } from './channels.js';

const inequivalent = channelRefusal(406, 'PRECONDITION_FAILED', "inequivalent arg 'x-message-ttl' for queue 'one'");
/** As amqplib reports it in the event `error` of a channel. */
const closed = Object.assign(
  new Error(
    `Channel closed by server: 403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - write access to exchange ` +
      `'amq.default' in vhost 'keyfold' refused for user 'worker'"`,
  ),
  { code: 403 },
);
const lost = new Error('Channel ended, no reply will be forthcoming');

it.each([
  ['a refused permission', accessRefused("queue 'one'"), 403],
  ['a missing object', notFound("queue 'one'"), 404],
  ['another argument', inequivalent, 406],
  ['a lost connection', lost, undefined],
])('the code of %s is told apart', (_, error, code) => {
  expect(channelErrorOf(error)?.code).toBe(code);
});

it.each([
  [
    accessRefused("queue 'one'"),
    "configure access to queue 'one' in vhost 'keyfold' refused for user 'worker': " +
      'grant the user the permissions that docs/run/rabbitmq.md lists',
  ],
  [
    closed,
    "write access to exchange 'amq.default' in vhost 'keyfold' refused for user 'worker': " +
      'grant the user the permissions that docs/run/rabbitmq.md lists',
  ],
  [notFound("queue 'one'"), "no queue 'one' in vhost 'keyfold': run keyfold topology apply"],
  [inequivalent, "inequivalent arg 'x-message-ttl' for queue 'one'"],
  [lost, 'Channel ended, no reply will be forthcoming'],
])('the problem says why and what to do: %s', (error, problem) => {
  expect(channelProblemOf(error)).toBe(problem);
});

it('a scratch channel that never closes, because the connection was lost, is not waited for', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const neverClosed = { close: () => new Promise<void>(() => {}) } as unknown as Channel;
  const channels: Channel[] = [];
  const refusal = attemptOnScratchChannel({ channel: async () => neverClosed }, async (channel) =>
    channels.push(channel),
  );
  await vi.advanceTimersByTimeAsync(2_000);
  await expect(refusal).resolves.toBeUndefined();
  expect(channels).toEqual([neverClosed]);
});
