import { EVENT_LOG, EVENTS_EXCHANGE, type BrokerConnection } from '@keyfold/messaging/rabbitmq';
import type { Channel } from 'amqplib';
import { vi } from 'vitest';
import type { RabbitmqNode } from '../support/rabbitmq/rabbitmq-node.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import type { EventListener } from './event-listener.js';

/** The environment of a fault: relays, a broker and one subscriber. */
export type Stage = Readonly<{
  node: RabbitmqNode;
  /** Between the relays and the node. */
  proxy: TcpProxy;
  /** The connections of the relays. */
  connections(): readonly BrokerConnection[];
  /** The number of messages that the broker refused. */
  refused(): number;
  listener: EventListener;
  /** The listener's queue, bound to all events. */
  queue: string;
  /** A connection that bypasses the proxy. */
  operator: BrokerConnection;
}>;

const POLL = { timeout: 90_000, interval: 10 };
const CUTS = 5;
/** Enough refusals for the back-off to grow. */
const REFUSALS = 3;

/** Faults that end by themselves or are undone, while the test appends events. */
export const brokerFaults = {
  'sockets cut': async (stage: Stage) => {
    for (let cut = 0; cut < CUTS; cut++) {
      await amidEvents(stage);
      stage.proxy.resetConnections();
    }
  },
  'network stalled': async (stage: Stage) => {
    await amidEvents(stage);
    stage.proxy.freeze(true);
    await untilNoticed(stage);
    stage.proxy.freeze(false);
  },
  'confirms lost': async (stage: Stage) => {
    await amidEvents(stage);
    stage.proxy.setDroppingResponses(true);
    await untilNoticed(stage);
    stage.proxy.setDroppingResponses(false);
  },
  'broker hangs': async (stage: Stage) => {
    await amidEvents(stage);
    stage.node.freeze();
    await untilNoticed(stage);
    stage.node.thaw();
  },
  'memory alarm': async (stage: Stage) => {
    await stage.node.setMemoryAlarm(true);
    await vi.waitUntil(() => stage.connections().some(({ state }) => state === 'blocked'), POLL);
    await stage.node.setMemoryAlarm(false);
  },
  'broker restarted': async (stage: Stage) => {
    await amidEvents(stage);
    await stage.node.ctl('stop_app');
    await untilNoticed(stage);
    await stage.node.ctl('start_app');
  },
  'broker killed': async (stage: Stage) => {
    await amidEvents(stage);
    await stage.node.kill();
    await untilNoticed(stage);
    await stage.node.restart();
  },
  'connections closed': async (stage: Stage) => {
    await stage.node.ctl('close_all_connections', 'fault');
  },
  'queue full': async (stage: Stage) => {
    const full = { 'x-queue-type': 'quorum', 'x-max-length': 1, 'x-overflow': 'reject-publish' };
    await operating(stage, async (channel) => {
      await channel.assertQueue('full', { durable: true, arguments: full });
      await channel.bindQueue('full', EVENTS_EXCHANGE, 'ssh-key.#');
    });
    await untilRefused(stage);
    await operating(stage, (channel) => channel.deleteQueue('full'));
  },
  'nothing bound': async (stage: Stage) => {
    const { queue } = stage;
    // Unbinds the log as well: without any binding, the broker returns what is published.
    await operating(stage, async (channel) => {
      await channel.unbindQueue(EVENT_LOG, EVENTS_EXCHANGE, '#');
      await channel.unbindQueue(queue, EVENTS_EXCHANGE, '#');
    });
    await untilRefused(stage);
    await operating(stage, async (channel) => {
      await channel.bindQueue(queue, EVENTS_EXCHANGE, '#');
      await channel.bindQueue(EVENT_LOG, EVENTS_EXCHANGE, '#');
    });
  },
} as const satisfies Record<string, (stage: Stage) => Promise<void>>;

export type BrokerFault = keyof typeof brokerFaults;

/** Waits for the next event. */
async function amidEvents({ listener }: Stage): Promise<void> {
  const before = listener.received;
  await vi.waitUntil(() => listener.received > before, POLL);
}

async function untilNoticed({ connections }: Stage): Promise<void> {
  await vi.waitUntil(() => connections().every(({ state }) => state === 'disconnected'), POLL);
}

async function untilRefused({ refused }: Stage): Promise<void> {
  const before = refused();
  await vi.waitUntil(() => refused() >= before + REFUSALS, POLL);
}

/** Runs an operation on the broker as soon as it accepts connections. */
async function operating({ operator }: Stage, step: (channel: Channel) => Promise<unknown>): Promise<void> {
  await vi.waitFor(async () => {
    const channel = await operator.channel();
    try {
      await step(channel);
    } finally {
      await channel.close().catch(() => undefined);
    }
  }, POLL);
}
