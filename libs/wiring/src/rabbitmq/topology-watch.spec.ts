import type { BrokerConnection, BrokerState } from '@keyfold/messaging/rabbitmq';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TopologyWatch } from './topology-watch.js';

/** The part of a connection that the watch uses. */
class Connection {
  state: BrokerState = 'disconnected';
  #listener: (() => void) | undefined;

  onConnected(listener: () => void): () => void {
    this.#listener = listener;
    return () => (this.#listener = undefined);
  }

  async connect(): Promise<void> {
    this.state = 'connected';
    this.#listener?.();
    await vi.advanceTimersByTimeAsync(0);
  }
}

let connection: Connection;
let lines: string[];
let checks: number;
let missing: readonly string[] | Error;
let watch: TopologyWatch;
const write = (text: string) => void lines.push(text);
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

beforeEach(() => {
  vi.useFakeTimers();
  connection = new Connection();
  lines = [];
  checks = 0;
  missing = [];
  const check = async () => {
    checks++;
    if (missing instanceof Error) throw missing;
    return missing;
  };
  watch = new TopologyWatch(connection as unknown as BrokerConnection, check, { log: write, warn: write });
});
afterEach(() => {
  watch.onApplicationShutdown();
  vi.useRealTimers();
});

it('nothing is checked before there is a connection', async () => {
  await seconds(60);
  expect([checks, watch.isComplete]).toEqual([0, false]);
});

it('a complete topology is checked once per connect', async () => {
  await connection.connect();
  expect([checks, watch.isComplete]).toEqual([1, true]);
  await seconds(60);
  expect(checks).toBe(1);
  await connection.connect();
  expect(checks).toBe(2);
  expect(lines).toEqual([]);
});

it('an incomplete topology is logged once and checked every half minute until it is complete', async () => {
  missing = ['the queue one is missing'];
  await connection.connect();
  expect(watch.missing).toEqual(missing);
  await seconds(29);
  expect(checks).toBe(1);
  await seconds(1);
  expect(checks).toBe(2);
  missing = [];
  await seconds(30);
  expect(watch.isComplete).toBe(true);
  expect(lines).toEqual([
    'the topology of RabbitMQ is incomplete, retrying: the queue one is missing',
    'the topology of RabbitMQ is complete',
  ]);
});

it('a failed check is logged and repeated', async () => {
  missing = new Error('no answer');
  await connection.connect();
  expect(watch.isComplete).toBe(false);
  missing = [];
  await seconds(1);
  expect(watch.isComplete).toBe(true);
  expect(lines[0]).toContain('no answer');
});

it('a failed check is repeated after one second, then after twice as long each time, up to half a minute', async () => {
  missing = new Error('no answer');
  await connection.connect();
  for (const delay of [1, 2, 4, 8, 16, 30, 30]) {
    const before = checks;
    await vi.advanceTimersByTimeAsync(delay * 1_000 - 1);
    expect(checks).toBe(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(checks).toBe(before + 1);
  }
  missing = ['the queue one is missing'];
  await seconds(30);
  missing = new Error('no answer');
  await seconds(30);
  const before = checks;
  await seconds(1);
  expect(checks).toBe(before + 1);
});

it('a listener is called once, at once if the topology is complete', async () => {
  await connection.connect();
  let calls = 0;
  watch.onTopologyReady(() => calls++);
  expect(calls).toBe(1);
  await connection.connect();
  expect([checks, calls]).toEqual([2, 1]);
});

it('a listener is called when the topology becomes complete, unless it unsubscribed', async () => {
  const called: string[] = [];
  watch.onTopologyReady(() => called.push('gone'))();
  watch.onTopologyReady(() => called.push('waiting'));
  await connection.connect();
  expect(called).toEqual(['waiting']);
});
