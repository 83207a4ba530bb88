import type { Channel } from 'amqplib';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { refusalOf } from './scratch-channel.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What the library does when the connection dies between the request to close and its answer. */
const neverClosed = { close: () => new Promise<void>(() => {}) } as unknown as Channel;

it('a step that is done does not wait for a goodbye that never comes', async () => {
  const steps: Channel[] = [];
  const refusal = refusalOf({ channel: async () => neverClosed }, async (channel) => steps.push(channel));
  await vi.advanceTimersByTimeAsync(2_000);
  await expect(refusal).resolves.toBeUndefined();
  expect(steps).toEqual([neverClosed]);
});
