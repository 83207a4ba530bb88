import { Injectable, Module, type LoggerService, type OnApplicationShutdown } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { applyTopology, EVENTS_EXCHANGE, RPC_QUEUE } from '@keyfold/messaging/rabbitmq';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lastingPort } from '../../../../test/support/lasting-port.js';
import { freshBroker, type FreshBroker } from '../../../../test/support/rabbitmq/fresh-broker.js';
import { TcpProxy } from '../../../../test/support/tcp-proxy.js';
import { BrokerCheck } from './broker-check.js';
import { BrokerConnections } from './broker-connections.js';
import type { BrokerOptions } from './broker-options.js';
import { broker } from '../open-broker.js';
import { TopologyWatch } from './topology-watch.js';

const EVENTUALLY = { timeout: 20_000 };
let fresh: FreshBroker;
let proxy: TcpProxy;

beforeEach(async () => {
  fresh = await freshBroker();
  const opened = await TcpProxy.start(Number(new URL(fresh.url).port));
  proxy = opened;
  // After the processes of the test, which end in the reverse order.
  onTestFinished(() => opened.close());
});

/** Publishes when it ends, as the relay does with what it has in hand. */
@Injectable()
class LastWords implements OnApplicationShutdown {
  static confirmed = 0;

  constructor(private readonly connections: BrokerConnections) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.connections.publisher.state !== 'connected') return;
    const channel = await this.connections.publisher.confirmChannel();
    channel.publish(EVENTS_EXCHANGE, 'account.changed', Buffer.from('{}'));
    await channel.waitForConfirms();
    LastWords.confirmed++;
  }
}

async function start(options: BrokerOptions = {}, managementUrl = fresh.managementUrl) {
  const lines: string[] = [];
  const write = (text: unknown, context?: unknown) => void (context === 'RabbitMQ' && lines.push(String(text)));
  const logger: LoggerService = { log: write, warn: write, error: write };
  const url = proxy.through(fresh.url);
  const settings = { KEYFOLD_RABBITMQ_URL: url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl };
  const imported = await broker(settings, options);
  const user = class {};
  Module({ imports: [imported], providers: [LastWords] })(user);
  const app = await NestFactory.createApplicationContext(user, { logger, abortOnError: false });
  onTestFinished(() => app.close());
  const find = <T>(token: abstract new (...parameters: never[]) => T) => app.get<T>(token as never, { strict: false });
  const ready = Promise.withResolvers<void>();
  find(TopologyWatch).onTopologyReady(() => ready.resolve());
  return {
    app,
    lines,
    ready: ready.promise,
    connections: find(BrokerConnections),
    check: find(BrokerCheck),
    watch: find(TopologyWatch),
  };
}

describe('a process with a broker', () => {
  it('starts while RabbitMQ is away, tells that once, and begins when it is there', async () => {
    await proxy.refuse(true);
    const { lines, ready, check } = await start({ applyTopology: true });
    await expect.poll(() => lines, EVENTUALLY).toHaveLength(1);
    expect(lines[0]).toMatch(/^RabbitMQ at 127\.0\.0\.1:\d+ is away, events wait in the store: .*ECONNREFUSED/);
    expect(() => check.run()).toThrow('is away');
    await proxy.refuse(false);
    await ready;
    await expect
      .poll(() => lines.filter((line) => line.startsWith('connected to RabbitMQ')), EVENTUALLY)
      .toHaveLength(1);
    check.run();
    expect(lines.join('\n')).toContain('made exchange keyfold.events, ');
    expect(lines.join('\n')).not.toContain('guest');
  });

  it('goes on after its connections were cut', async () => {
    const { lines, ready, connections, check } = await start({ applyTopology: true });
    await ready;
    await expect.poll(() => lines.some((line) => line.startsWith('connected')), EVENTUALLY).toBe(true);
    proxy.cutAll();
    await expect.poll(() => lines.filter((line) => /is away/.test(line)), EVENTUALLY).toHaveLength(1);
    await expect.poll(() => lines.filter((line) => line.startsWith('connected')), EVENTUALLY).toHaveLength(2);
    const channel = await connections.publisher.confirmChannel();
    channel.publish(EVENTS_EXCHANGE, 'account.changed', Buffer.from('{}'));
    await channel.waitForConfirms();
    check.run();
  });

  it('that ends can publish until the last module is done', async () => {
    const { app, ready, connections } = await start({ applyTopology: true });
    await ready;
    await expect.poll(() => connections.publisher.state, EVENTUALLY).toBe('connected');
    const before = LastWords.confirmed;
    await app.close();
    expect(LastWords.confirmed).toBe(before + 1);
    await expect.poll(() => proxy.connections, EVENTUALLY).toBe(0);
  });
});

describe('a topology that is incomplete', () => {
  it('is told with what to do, and found complete at the next connect', async () => {
    const { lines, ready, check, watch, connections } = await start();
    await expect.poll(() => lines.join('\n'), EVENTUALLY).toContain('lacks what Keyfold needs');
    expect(lines.join('\n')).toContain(`the queue ${RPC_QUEUE} is missing: run keyfold topology apply`);
    await expect.poll(() => connections.publisher.state, EVENTUALLY).toBe('connected');
    expect(() => check.run()).toThrow('is missing: run keyfold topology apply');
    expect(watch.isComplete).toBe(false);
    await applyTopology({ channels: connections.consumer, vhost: fresh.vhost });
    proxy.cutAll();
    await ready;
    expect(lines).toContain('RabbitMQ has what Keyfold needs now');
    expect(lines.filter((line) => line.includes('lacks'))).toHaveLength(1);
  });

  it('that differs is told and does not keep a process that applies it from beginning', async () => {
    const other = await start();
    await expect.poll(() => other.connections.consumer.state, EVENTUALLY).toBe('connected');
    const channel = await other.connections.consumer.channel();
    await channel.assertQueue(RPC_QUEUE, { durable: true });
    const { lines, ready } = await start({ applyTopology: true });
    await ready;
    expect(lines.some((line) => line.startsWith('queue keyfold.rpc is different: inequivalent arg'))).toBe(true);
  });

  it('is made without its policies when the management API does not answer', async () => {
    const { lines, ready } = await start(
      { applyTopology: true },
      `http://guest:hidden@127.0.0.1:${await lastingPort()}`,
    );
    await ready;
    expect(lines.join('\n')).toMatch(
      /cannot set policies: the management API at 127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/,
    );
    expect(lines.join('\n')).toContain('run keyfold topology diff');
    expect(lines.join('\n')).not.toContain('hidden');
  });

  it('is made again when it is missing at a later connect', async () => {
    const { lines, ready, connections, watch } = await start({ applyTopology: true });
    await ready;
    await (await connections.consumer.channel()).deleteQueue(RPC_QUEUE);
    proxy.cutAll();
    await expect.poll(() => lines, EVENTUALLY).toContain(`made queue ${RPC_QUEUE}`);
    await expect.poll(() => watch.isComplete, EVENTUALLY).toBe(true);
  });
});
