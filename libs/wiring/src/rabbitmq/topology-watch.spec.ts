import type { BrokerConnection, BrokerState } from '@keyfold/messaging/rabbitmq';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { TopologyWatch } from './topology-watch.js';

/** A connection as far as the watch sees it. */
class Connection {
  state: BrokerState = 'disconnected';
  #listener: (() => void) | undefined;

  onConnected(listener: () => void): () => void {
    this.#listener = listener;
    return () => (this.#listener = undefined);
  }

  comesUp(): void {
    this.state = 'connected';
    this.#listener?.();
  }
}

let connection: Connection;
let lines: string[];
let looks: number;
let missing: readonly string[] | Error;
let watch: TopologyWatch;
const write = (text: string) => void lines.push(text);

beforeEach(() => {
  connection = new Connection();
  lines = [];
  looks = 0;
  missing = [];
  watch = opened(5);
});
afterEach(() => watch.onApplicationShutdown());

function opened(pause?: number): TopologyWatch {
  return new TopologyWatch(connection as unknown as BrokerConnection, {
    look: async () => {
      looks++;
      if (missing instanceof Error) throw missing;
      return missing;
    },
    log: { log: write, warn: write },
    ...(pause !== undefined && { pause }),
  });
}

const ready = () => new Promise<void>((listener) => void watch.onTopologyReady(listener));

it('nothing is looked at before there is a connection', async () => {
  await new Promise(setImmediate);
  expect([looks, watch.isComplete]).toEqual([0, false]);
});

it('a complete topology is looked at once a connect', async () => {
  connection.comesUp();
  await ready();
  connection.comesUp();
  await expect.poll(() => looks).toBe(2);
  expect(lines).toEqual([]);
});

it('what is missing is told once and looked for until it is there', async () => {
  missing = ['the queue one is missing'];
  connection.comesUp();
  await expect.poll(() => looks).toBeGreaterThan(3);
  expect(watch.missing).toEqual(missing);
  missing = [];
  await ready();
  expect(lines).toEqual([
    'RabbitMQ lacks what Keyfold needs, looking again: the queue one is missing',
    'RabbitMQ has what Keyfold needs now',
  ]);
});

it('a look that fails is told and repeated', async () => {
  missing = new Error('no answer');
  connection.comesUp();
  await expect.poll(() => looks).toBeGreaterThan(1);
  expect(watch.isComplete).toBe(false);
  missing = [];
  await ready();
  expect(lines[0]).toContain('no answer');
});

it('a look that fails is repeated after a second, then after twice as long each time, up to half a minute', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  watch.onApplicationShutdown();
  missing = new Error('no answer');
  watch = opened();
  connection.comesUp();
  await vi.advanceTimersByTimeAsync(0);
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    const before = looks;
    await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
    expect(looks).toBe(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(looks).toBe(before + 1);
  }
  missing = ['the queue one is missing'];
  await vi.advanceTimersByTimeAsync(30_000);
  missing = new Error('no answer');
  await vi.advanceTimersByTimeAsync(30_000);
  const before = looks;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toBe(before + 1);
});

it('who asks when it is complete already is called at once, and once', async () => {
  connection.comesUp();
  await ready();
  let calls = 0;
  watch.onTopologyReady(() => calls++);
  expect(calls).toBe(1);
  connection.comesUp();
  await expect.poll(() => looks).toBe(2);
  expect(calls).toBe(1);
});

it('who called it off is not called', async () => {
  let calls = 0;
  watch.onTopologyReady(() => calls++)();
  connection.comesUp();
  await ready();
  expect(calls).toBe(0);
});
