import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RabbitmqNode } from '../../../../../test/support/rabbitmq/rabbitmq-node.js';
import { TcpProxy } from '../../../../../test/support/tcp-proxy.js';
import { BrokerUnavailable } from '../../publishing.js';
import { BrokerConnection, type BrokerState } from './broker-connection.js';

const EVENTUALLY = { timeout: 30_000 };
let node: RabbitmqNode;
let proxy: TcpProxy;

beforeAll(async () => {
  node = await RabbitmqNode.start();
});
afterAll(async () => {
  await node?.dispose();
});

beforeEach(async () => {
  const opened = await TcpProxy.start(node.port);
  proxy = opened;
  // Registered first, so it runs after the connections of the test are closed.
  onTestFinished(() => opened.close());
});

/** Opens a connection through the proxy and records its states. */
async function open(query = '') {
  const states: BrokerState[] = [];
  const reasons: string[] = [];
  const connection = await BrokerConnection.open(`${proxy.through(node.url)}${query}`, {
    role: 'publisher',
    onState: (state, reason) => {
      if (state !== states.at(-1)) states.push(state);
      if (reason !== undefined) reasons.push(reason);
    },
  });
  onTestFinished(() => connection.close());
  return { connection, states, reasons };
}

async function connected(query = '') {
  const opened = await open(query);
  await expect.poll(() => opened.connection.state, EVENTUALLY).toBe('connected');
  return opened;
}

const works = async (connection: BrokerConnection) => {
  const channel = await connection.confirmChannel();
  const { queue } = await channel.assertQueue('', { exclusive: true });
  channel.sendToQueue(queue, Buffer.from('note'));
  await channel.waitForConfirms();
  await channel.close();
  return true;
};

describe('a connection reconnects', () => {
  it('after its socket was cut', async () => {
    const { connection, states } = await connected();
    let connects = 0;
    connection.onConnected(() => connects++);
    proxy.resetConnections();
    await expect.poll(() => states, EVENTUALLY).toEqual(['connected', 'disconnected', 'connected']);
    expect(connects).toBe(1);
    expect(await works(connection)).toBe(true);
  });

  it('after two missed heartbeats', async () => {
    const { connection, states } = await connected('?heartbeat=1');
    proxy.freeze(true);
    await expect.poll(() => states, EVENTUALLY).toEqual(['connected', 'disconnected']);
    proxy.freeze(false);
    await expect.poll(() => connection.state, EVENTUALLY).toBe('connected');
    expect(await works(connection)).toBe(true);
  });

  it('after an operator closed it', async () => {
    const { connection, states } = await connected();
    await node.ctl('close_all_connections', 'maintenance');
    await expect.poll(() => states, EVENTUALLY).toEqual(['connected', 'disconnected', 'connected']);
    expect(await works(connection)).toBe(true);
  });

  it('if the broker was unreachable at first', async () => {
    await proxy.setRefusing(true);
    const { connection, reasons } = await open();
    await expect.poll(() => reasons, EVENTUALLY).not.toEqual([]);
    await expect(connection.channel()).rejects.toThrow(/not connected to RabbitMQ: .*ECONNREFUSED/);
    await expect(connection.channel()).rejects.toThrow(BrokerUnavailable);
    expect(reasons.join()).not.toContain('guest:');
    await proxy.setRefusing(false);
    await expect.poll(() => connection.state, EVENTUALLY).toBe('connected');
  });
});

describe('a refused login', () => {
  async function reasonFor(change: (url: URL) => void): Promise<string | undefined> {
    const url = new URL(node.url);
    change(url);
    const connection = await BrokerConnection.open(url.toString(), { role: 'publisher' });
    onTestFinished(() => connection.close());
    await expect.poll(() => connection.reason, EVENTUALLY).toBeDefined();
    return connection.reason;
  }

  it('names the cause, the virtual host or the password, but never the password itself', async () => {
    expect(await reasonFor((url) => (url.pathname = '/no%2Fsuch'))).toBe(
      'virtual host no/such does not exist, or the user may not access it',
    );
    const reason = await reasonFor((url) => (url.password = 'hidden'));
    expect(reason).toContain('ACCESS_REFUSED');
    expect(reason).not.toContain('hidden');
  });
});

describe('an error of a channel', () => {
  it('affects neither the connection nor other channels', async () => {
    const { connection, states } = await connected();
    const other = await connection.channel();
    const channel = await connection.channel();
    await expect(channel.checkQueue('missing')).rejects.toThrow('404');
    await expect(channel.checkQueue('missing')).rejects.toThrow();
    // An error outside of a request: an acknowledgement of an unknown delivery.
    const refused = await connection.channel();
    const ended = new Promise<void>((end) => refused.once('close', () => end()));
    refused.ack({ fields: { deliveryTag: 7 } } as never);
    await ended;
    const { queue } = await other.assertQueue('', { exclusive: true });
    expect((await other.checkQueue(queue)).queue).toBe(queue);
    expect(states).toEqual(['connected']);
  });
});

describe('a memory alarm of the broker', () => {
  it('blocks a publishing connection, which can still be closed and works again afterwards', async () => {
    const staying = await connected();
    const leaving = await connected();
    await node.setMemoryAlarm(true);
    for (const { connection } of [staying, leaving]) {
      const channel = await connection.confirmChannel();
      channel.sendToQueue('nowhere', Buffer.from('late'));
      await expect.poll(() => connection.state, EVENTUALLY).toBe('blocked');
    }
    expect(staying.connection.reason).toContain('memory');
    await leaving.connection.close();
    expect(leaving.connection.state).toBe('disconnected');
    await node.setMemoryAlarm(false);
    await expect.poll(() => staying.connection.state, EVENTUALLY).toBe('connected');
    expect(await works(staying.connection)).toBe(true);
  });
});

describe('a closed connection', () => {
  it('reports nothing, opens no channel and does not reconnect', async () => {
    const { connection, states } = await connected();
    await connection.close();
    await connection.close();
    expect(connection.state).toBe('disconnected');
    await expect(connection.channel()).rejects.toThrow(BrokerUnavailable);
    await expect.poll(() => proxy.connections, EVENTUALLY).toBe(0);
    expect(states).toEqual(['connected']);
  });

  it('closes in bounded time if the broker does not respond', async () => {
    const { connection } = await connected();
    proxy.freeze(true);
    await connection.close();
    expect(connection.state).toBe('disconnected');
  });

  it('does not report the failure of an attempt in progress', async () => {
    proxy.freeze(true);
    const { connection, states, reasons } = await open();
    await expect.poll(() => proxy.connections, EVENTUALLY).toBe(1);
    await connection.close();
    proxy.resetConnections();
    proxy.freeze(false);
    await connected();
    expect({ states, reasons }).toEqual({ states: [], reasons: [] });
  });

  it('stops reconnecting to a broker that is unreachable', async () => {
    await proxy.setRefusing(true);
    const { connection, reasons } = await open();
    await expect.poll(() => reasons, EVENTUALLY).not.toEqual([]);
    await connection.close();
    await proxy.setRefusing(false);
    await node.ctl('await_startup');
    expect(connection.state).toBe('disconnected');
    expect(proxy.connections).toBe(0);
  });
});
