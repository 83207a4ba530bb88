import { Injectable, Module, type LoggerService, type OnApplicationShutdown } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { EventPublisher } from '@keyfold/messaging';
import { applyTopology, EVENTS_EXCHANGE, RPC_QUEUE } from '@keyfold/messaging/rabbitmq';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lastingPort } from '../../../../test/support/lasting-port.js';
import { freshBroker, type FreshBroker } from '../../../../test/support/rabbitmq/fresh-broker.js';
import { TcpProxy } from '../../../../test/support/tcp-proxy.js';
import { BrokerCheck, BrokerConnections, type BrokerOptions } from './broker.js';
import { BrokerModule } from './broker.module.js';
import { TopologyWatch } from './topology-watch.js';

const EVENTUALLY = { timeout: 20_000 };
let fresh: FreshBroker;
let proxy: TcpProxy;

beforeEach(async () => {
  fresh = await freshBroker();
  const opened = await TcpProxy.start(Number(new URL(fresh.url).port));
  proxy = opened;
  // Runs after the end of the processes, because callbacks run in reverse order.
  onTestFinished(() => opened.close());
});

/** Publishes during the shutdown, as the relay does. */
@Injectable()
class LastPublisher implements OnApplicationShutdown {
  static confirmed = 0;

  constructor(private readonly connections: BrokerConnections) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.connections.publisher.state !== 'connected') return;
    const channel = await this.connections.publisher.confirmChannel();
    channel.publish(EVENTS_EXCHANGE, 'account.changed', Buffer.from('{}'));
    await channel.waitForConfirms();
    LastPublisher.confirmed++;
  }
}

async function start(options: BrokerOptions = {}, managementUrl = fresh.managementUrl) {
  const lines: string[] = [];
  const write = (text: unknown, context?: unknown) => void (context === 'RabbitMQ' && lines.push(String(text)));
  const logger: LoggerService = { log: write, warn: write, error: write };
  const url = proxy.through(fresh.url);
  const settings = {
    KEYFOLD_RABBITMQ_URL: url,
    KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl,
    KEYFOLD_EVENT_LOG_DAYS: 90,
  };
  const imported = BrokerModule.forRoot(settings, options);
  const user = class {};
  Module({ imports: [imported], providers: [LastPublisher] })(user);
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
    check: new BrokerCheck(find(BrokerConnections), find(TopologyWatch), { stall: undefined } as EventPublisher),
    watch: find(TopologyWatch),
  };
}

describe('a process with a broker', () => {
  it('starts while RabbitMQ is unavailable, logs that once, and connects when it is available', async () => {
    await proxy.setRefusing(true);
    const { lines, ready, check } = await start({ applyTopology: true });
    await expect.poll(() => lines, EVENTUALLY).toHaveLength(1);
    expect(lines[0]).toMatch(/^RabbitMQ at 127\.0\.0\.1:\d+ is unavailable, events stay in the store: .*ECONNREFUSED/);
    expect(() => check.run()).toThrow('is unavailable');
    await proxy.setRefusing(false);
    await ready;
    await expect
      .poll(() => lines.filter((line) => line.startsWith('connected to RabbitMQ')), EVENTUALLY)
      .toHaveLength(1);
    check.run();
    expect(lines.join('\n')).toContain('created exchange keyfold.events, ');
    expect(lines.join('\n')).not.toContain('guest');
  });

  it('reconnects after its connections were cut', async () => {
    const { lines, ready, connections, check } = await start({ applyTopology: true });
    await ready;
    await expect.poll(() => lines.filter((line) => line.startsWith('connected')), EVENTUALLY).toHaveLength(1);
    proxy.resetConnections();
    await expect.poll(() => lines.filter((line) => /is unavailable/.test(line)), EVENTUALLY).toHaveLength(1);
    await expect.poll(() => lines.filter((line) => line.startsWith('connected')), EVENTUALLY).toHaveLength(2);
    const channel = await connections.publisher.confirmChannel();
    channel.publish(EVENTS_EXCHANGE, 'account.changed', Buffer.from('{}'));
    await channel.waitForConfirms();
    check.run();
  });

  it('can publish during the shutdown until the last module is done', async () => {
    const { app, ready, connections } = await start({ applyTopology: true });
    await ready;
    await expect.poll(() => connections.publisher.state, EVENTUALLY).toBe('connected');
    const before = LastPublisher.confirmed;
    await app.close();
    expect(LastPublisher.confirmed).toBe(before + 1);
    await expect.poll(() => proxy.connections, EVENTUALLY).toBe(0);
  });
});

describe('an incomplete topology', () => {
  it('is logged with advice, and found complete at the next connect', async () => {
    const { lines, ready, check, watch, connections } = await start();
    await expect.poll(() => lines.join('\n'), EVENTUALLY).toContain('the topology of RabbitMQ is incomplete');
    expect(lines.join('\n')).toContain(`the queue ${RPC_QUEUE} is missing: run keyfold topology apply`);
    await expect.poll(() => connections.publisher.state, EVENTUALLY).toBe('connected');
    expect(() => check.run()).toThrow('is missing: run keyfold topology apply');
    expect(watch.isComplete).toBe(false);
    await applyTopology({ channels: connections.consumer, vhost: fresh.vhost });
    proxy.resetConnections();
    await ready;
    expect(lines).toContain('the topology of RabbitMQ is complete');
    expect(lines.filter((line) => line.includes('incomplete'))).toHaveLength(1);
  });

  it('with a difference is logged and does not stop a process that applies it', async () => {
    const other = await start();
    await expect.poll(() => other.connections.consumer.state, EVENTUALLY).toBe('connected');
    const channel = await other.connections.consumer.channel();
    await channel.assertQueue(RPC_QUEUE, { durable: true });
    const { lines, ready } = await start({ applyTopology: true });
    await ready;
    expect(lines).toContainEqual(expect.stringMatching(/^queue keyfold\.rpc is different: inequivalent arg/));
  });

  it('is created without its policies if the management API does not answer', async () => {
    const { lines, ready } = await start(
      { applyTopology: true },
      `http://guest:hidden@127.0.0.1:${await lastingPort()}`,
    );
    await ready;
    expect(lines.join('\n')).toMatch(
      /cannot set policies: the management API at 127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/,
    );
    expect(lines.join('\n')).toContain('Run keyfold topology diff');
    expect(lines.join('\n')).not.toContain('hidden');
  });

  it('is recreated if parts are missing at a later connect', async () => {
    const { lines, ready, connections, watch } = await start({ applyTopology: true });
    await ready;
    await (await connections.consumer.channel()).deleteQueue(RPC_QUEUE);
    proxy.resetConnections();
    await expect.poll(() => lines, EVENTUALLY).toContain(`created queue ${RPC_QUEUE}`);
    await expect.poll(() => watch.isComplete, EVENTUALLY).toBe(true);
  });
});
