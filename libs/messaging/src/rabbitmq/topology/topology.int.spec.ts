import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freshBroker, type FreshBroker } from '../../../../../test/support/rabbitmq/fresh-broker.js';
import { limitedUser } from '../../../../../test/support/rabbitmq/limited-user.js';
import { topologyDefinitions } from '../../../testing/topology-definitions.js';
import { EVENTS_EXCHANGE } from '../../publishing.js';
import { BrokerConnection } from '../connection/broker-connection.js';
import { applyTopology, diffTopology, type Broker, type Finding } from './apply-topology.js';
import { checkTopology } from './check-topology.js';
import { Management } from './management.js';
import { COMMAND_QUEUE, COMMAND_RETRY_QUEUE, EVENT_LOG, PARKED_COMMANDS, RPC_QUEUE, TOPOLOGY } from './topology.js';

let fresh: FreshBroker;
let connection: BrokerConnection;
let broker: Broker & { management: Management };
let client: ChannelModel;

beforeEach(async () => {
  fresh = await freshBroker();
  connection = await connected(fresh.url);
  broker = { channels: connection, management: new Management(fresh.managementUrl, fresh.url), vhost: fresh.vhost };
  client = await connect(fresh.url);
});
afterEach(async () => {
  await client?.close();
  await connection?.close();
});

async function connected(url: string): Promise<BrokerConnection> {
  const up = Promise.withResolvers<void>();
  const opened = await BrokerConnection.open(url, { role: 'operator', onState: () => up.resolve() });
  await up.promise;
  return opened;
}

const statesOf = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ object, state }) => [object, state]));
const every = (findings: readonly Finding[], state: Finding['state']) =>
  Object.fromEntries(findings.map(({ object }) => [object, state]));
const detailOf = (findings: readonly Finding[], object: string) =>
  findings.find((finding) => finding.object === object)?.detail;

/** Publishes to all subscribers and returns the number of confirmed messages. */
async function confirmedOf(channel: ConfirmChannel, count: number): Promise<number> {
  const publish = () =>
    new Promise<number>((resolve) => {
      channel.publish(EVENTS_EXCHANGE, 'account.changed', Buffer.from('{}'), { persistent: true }, (error: unknown) =>
        resolve(error ? 0 : 1),
      );
    });
  const confirmed = await Promise.all(Array.from({ length: count }, publish));
  return confirmed.reduce((sum, one) => sum + one, 0);
}

describe('on an empty virtual host', () => {
  it('diff and check report everything as missing and create nothing', async () => {
    const findings = await diffTopology(broker);
    expect(statesOf(findings)).toEqual(every(findings, 'missing'));
    expect(await fresh.api('GET', `/queues/${fresh.vhostPath}`)).toEqual([]);
    expect(await diffTopology(broker)).toEqual(findings);
    const problems = await checkTopology(connection);
    expect(problems).toHaveLength(TOPOLOGY.exchanges.length + TOPOLOGY.queues.length);
    expect(problems).toContain('the queue keyfold.rpc is missing: run keyfold topology apply');
    expect(connection.state).toBe('connected');
  });

  it('apply creates everything, once', async () => {
    const created = await applyTopology(broker);
    expect(statesOf(created)).toEqual(every(created, 'created'));
    const again = await applyTopology(broker);
    expect(statesOf(again)).toEqual(every(again, 'same'));
    expect(await diffTopology(broker)).toEqual(again);
    expect(await checkTopology(connection)).toEqual([]);
  });

  it('apply without the management API reports policies as unknown, with the commands that set them', async () => {
    const findings = await applyTopology({ channels: connection, vhost: fresh.vhost });
    expect(findings.filter(({ state }) => state === 'unknown').map(({ object }) => object)).toEqual([
      'policy keyfold-event-log-limits',
      'policy keyfold-parked',
      'policy keyfold-subscribers',
      'operator policy keyfold-subscriber-limits',
    ]);
    expect(detailOf(findings, 'policy keyfold-subscribers')).toContain(
      `rabbitmqctl set_policy -p ${fresh.vhost} --priority 1 --apply-to queues keyfold-subscribers '^(?!keyfold\\.)' ` +
        `'{"overflow":"drop-head"}'`,
    );
    const bound = await diffTopology(broker);
    expect(statesOf(bound)).toMatchObject({ 'binding keyfold.events -> keyfold.events.log (#)': 'same' });
  });

  it('the definitions file creates the same', async () => {
    const { exchanges, queues, bindings, policies, parameters } = topologyDefinitions(fresh.vhost);
    await fresh.api('POST', `/definitions/${fresh.vhostPath}`, { exchanges, queues, bindings, policies, parameters });
    const findings = await diffTopology(broker);
    expect(statesOf(findings)).toEqual(every(findings, 'same'));
  });
});

/** `npx vitest run --update` on this file rewrites the definitions. */
it('the shipped definitions file matches the topology', async () => {
  const shipped = new URL('../../../../../deploy/rabbitmq/topology.definitions.json', import.meta.url).pathname;
  await expect(`${JSON.stringify(topologyDefinitions('keyfold'), undefined, 2)}\n`).toMatchFileSnapshot(shipped);
});

describe('a difference', () => {
  it('of a queue is reported with advice and left as it is, and the connection stays open', async () => {
    const channel = await client.createChannel();
    await channel.assertQueue(RPC_QUEUE, { durable: true, arguments: { 'x-message-ttl': 5_000 } });
    for (const run of [diffTopology, applyTopology, diffTopology]) {
      const findings = await run(broker);
      expect(statesOf(findings)).toMatchObject({ 'queue keyfold.rpc': 'different' });
      expect(detailOf(findings, 'queue keyfold.rpc')).toMatch(/x-message-ttl.*received '10000' but current is '5000'/);
      expect(detailOf(findings, 'queue keyfold.rpc')).toContain(
        `rabbitmqctl delete_queue keyfold.rpc -p ${fresh.vhost}\n`,
      );
    }
    expect(connection.state).toBe('connected');
    expect(await checkTopology(connection)).toEqual([]);
  });

  it('that the broker accepts is found through the management API', async () => {
    const channel = await client.createChannel();
    const wanted = TOPOLOGY.queues.find(({ name }) => name === COMMAND_QUEUE)?.arguments;
    await channel.assertQueue(COMMAND_QUEUE, { durable: true, arguments: { ...wanted, 'x-delivery-limit': 3 } });
    const findings = await diffTopology(broker);
    expect(detailOf(findings, `queue ${COMMAND_QUEUE}`)).toContain('3');
    expect(statesOf(findings)).toMatchObject({ [`queue ${COMMAND_QUEUE}`]: 'different' });
  });

  it('of an exchange is reported', async () => {
    const channel = await client.createChannel();
    await channel.assertExchange(EVENTS_EXCHANGE, 'fanout', { durable: true });
    expect(detailOf(await diffTopology(broker), 'exchange keyfold.events')).toContain("current is 'fanout'");
  });

  it('of the age of the log of events is changed to the setting, if nothing else of the policy differs', async () => {
    await applyTopology({ ...broker, eventLogDays: 1_826 });
    expect(detailOf(await diffTopology(broker), 'policy keyfold-event-log-limits')).toContain('max-age is "1826D"');
    const wanted = { ...broker, eventLogDays: 90 };
    for (const state of ['changed', 'same']) {
      expect(statesOf(await applyTopology(wanted))).toMatchObject({ 'policy keyfold-event-log-limits': state });
    }
    const stored = await fresh.api('GET', `/policies/${fresh.vhostPath}/keyfold-event-log-limits`);
    expect(stored).toMatchObject({ definition: { 'max-age': '90D', 'max-length-bytes': 20_000_000_000 } });
  });

  it('of the policy with which version 0.2.0 limits the log has no effect, and no version changes it', async () => {
    const path = `/policies/${fresh.vhostPath}/keyfold-event-log`;
    const old = {
      pattern: '^keyfold\\.events\\.log$',
      'apply-to': 'queues',
      priority: 1,
      definition: { 'max-age': '5Y' },
    };
    await fresh.api('PUT', path, old);
    await applyTopology(broker);
    expect(await fresh.api('GET', path)).toMatchObject(old);
    const limits = async () => (await broker.management.queue(EVENT_LOG))?.effective_policy_definition;
    await expect.poll(limits).toMatchObject({ 'max-age': '90D' });
  });

  it('of a policy is reported and left as the operator set it; a missing binding is bound again', async () => {
    await applyTopology(broker);
    const path = `/policies/${fresh.vhostPath}/keyfold-event-log-limits`;
    const changed = { pattern: '^keyfold\\.events\\.log$', definition: { 'max-age': '7D' }, 'apply-to': 'queues' };
    await fresh.api('PUT', path, { ...changed, priority: 1 });
    for (const run of [diffTopology, applyTopology]) {
      const detail = detailOf(await run(broker), 'policy keyfold-event-log-limits');
      expect(detail).toContain('max-age is "7D", expected "90D"');
      expect(detail).toContain('max-length-bytes is not set, expected 20000000000');
    }
    expect(await fresh.api('GET', path)).toMatchObject({ definition: { 'max-age': '7D' } });

    const channel = await client.createChannel();
    await channel.unbindQueue(EVENT_LOG, EVENTS_EXCHANGE, '#');
    const binding = 'binding keyfold.events -> keyfold.events.log (#)';
    expect(statesOf(await diffTopology(broker))).toMatchObject({ [binding]: 'missing' });
    expect(statesOf(await applyTopology(broker))).toMatchObject({ [binding]: 'created' });
  });
});

describe('for a user without permissions', () => {
  it('diff and apply report what RabbitMQ refused and what to do, and do not report it as missing', async () => {
    await applyTopology(broker);
    const limited = await connected(await limitedUser(fresh, {}));
    onTestFinished(() => limited.close());
    const overAmqp = TOPOLOGY.exchanges.length + TOPOLOGY.queues.length;
    for (const run of [diffTopology, applyTopology]) {
      const findings = await run({ channels: limited, vhost: fresh.vhost });
      const refused = findings.filter(({ state }) => state === 'refused');
      expect(refused).toHaveLength(overAmqp + (run === applyTopology ? TOPOLOGY.bindings.length : 0));
      expect(statesOf(findings)).not.toContain('missing');
      for (const { detail } of refused)
        expect(detail).toMatch(/access to (exchange|queue) '.*' refused for user '.*': grant the user the permissions/);
    }
    expect(await checkTopology(limited)).toEqual([]);
  });
});

describe('a full queue of a subscriber that rejects messages', () => {
  const LIMIT = 5;
  const queueOf = async (channel: ConfirmChannel, type: string) => {
    const refusing = { 'x-queue-type': type, 'x-max-length': LIMIT, 'x-overflow': 'reject-publish' };
    await channel.assertQueue('sftp.events', { durable: true, arguments: refusing });
    await channel.bindQueue('sftp.events', EVENTS_EXCHANGE, '#');
  };

  /** A policy applies to a new queue only after a moment. */
  const inForce = async () =>
    await expect
      .poll(() => fresh.api<{ policy?: string }>('GET', `/queues/${fresh.vhostPath}/sftp.events`), { timeout: 20_000 })
      .toMatchObject({ policy: 'keyfold-subscribers', operator_policy: 'keyfold-subscriber-limits' });

  it('does not block events if it is a quorum queue: it drops its oldest messages', async () => {
    await applyTopology(broker);
    const channel = await client.createConfirmChannel();
    await queueOf(channel, 'quorum');
    await inForce();
    for (let round = 0; round < 6; round++) expect(await confirmedOf(channel, LIMIT)).toBe(LIMIT);
    expect((await channel.checkQueue('sftp.events')).messageCount).toBeLessThanOrEqual(LIMIT + 1);
    const findings = await diffTopology(broker);
    expect(statesOf(findings)).toEqual(every(findings, 'same'));
  });

  it('is reported if it is a classic queue, which no policy changes, even behind another exchange', async () => {
    await applyTopology(broker);
    const channel = await client.createConfirmChannel();
    await queueOf(channel, 'classic');
    await channel.assertExchange('sftp', 'topic');
    await channel.bindExchange('sftp', EVENTS_EXCHANGE, '#');
    await channel.unbindQueue('sftp.events', EVENTS_EXCHANGE, '#');
    await channel.bindQueue('sftp.events', 'sftp', '#');
    await inForce();
    for (let round = 0; round < 2; round++) await confirmedOf(channel, LIMIT);
    expect(await confirmedOf(channel, LIMIT)).toBe(0);
    for (const run of [diffTopology, applyTopology])
      expect((await run(broker)).filter(({ state }) => state !== 'same')).toEqual([
        {
          object: 'queue sftp.events of a subscriber',
          state: 'different',
          detail: expect.stringContaining('blocks the events of all subscribers'),
        },
      ]);
  });

  it('blocks events without the policies', async () => {
    await applyTopology({ channels: connection, vhost: fresh.vhost });
    const channel = await client.createConfirmChannel();
    await queueOf(channel, 'quorum');
    let confirmed = 0;
    for (let round = 0; round < 6; round++) confirmed += await confirmedOf(channel, LIMIT);
    expect(confirmed).toBeLessThan(6 * LIMIT);
  });
});

describe('a command', () => {
  it('goes to the command queue, when rejected to the parked queue, and from the retry queue back', async () => {
    await applyTopology(broker);
    const channel = await client.createConfirmChannel();
    channel.publish('keyfold.commands', 'ssh-key.use', Buffer.from('{}'), { persistent: true });
    await channel.waitForConfirms();
    const message = await channel.get(COMMAND_QUEUE);
    expect(message).not.toBe(false);
    if (message) channel.reject(message, false);
    await expect.poll(async () => (await channel.checkQueue(PARKED_COMMANDS)).messageCount).toBe(1);

    channel.sendToQueue(COMMAND_RETRY_QUEUE, Buffer.from('{}'), { persistent: true });
    await channel.waitForConfirms();
    await expect
      .poll(async () => (await channel.checkQueue(COMMAND_QUEUE)).messageCount, { timeout: 30_000, interval: 500 })
      .toBe(1);
  });
});
