import type { Channel } from 'amqplib';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { attemptOnScratchChannel } from './scratch-channel.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Models a connection that is lost after the request to close the channel. */
const neverClosed = { close: () => new Promise<void>(() => {}) } as unknown as Channel;

it('does not wait for a channel that never closes', async () => {
  const channels: Channel[] = [];
  const refusal = attemptOnScratchChannel({ channel: async () => neverClosed }, async (channel) =>
    channels.push(channel),
  );
  await vi.advanceTimersByTimeAsync(2_000);
  await expect(refusal).resolves.toBeUndefined();
  expect(channels).toEqual([neverClosed]);
});
