import type { Channel, Options } from 'amqplib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../../../../test/support/eventually.js';
import { freshBroker } from '../../../../../test/support/rabbitmq/fresh-broker.js';
import { BrokerUnavailable } from '../../publishing.js';
import { BrokerConnection } from '../connection/broker-connection.js';
import { applyTopology } from '../topology/apply-topology.js';
import { COMMAND_QUEUE, PARKED_COMMANDS } from '../topology/topology.js';
import { ParkedCommands } from './parked-commands.js';

/** The headers that a consumer adds to a command it parks. */
const failedWith = (code: string) => ({
  'x-error-code': code,
  'x-attempt': 3,
  'x-first-failed-at': '2026-01-15T12:00:00.000Z',
});
const useOf = (messageId: string, code = 'key-unknown'): Options.Publish => ({
  messageId,
  type: 'ssh-key.use',
  headers: { ...failedWith(code), cloudEvents_type: 'ssh-key.use', tenant: 'a' },
});

async function openParked() {
  const { url, vhost } = await freshBroker();
  const connection = await BrokerConnection.open(url, { role: 'operator' });
  onTestFinished(() => connection.close());
  await eventually(() => expect(connection.state).toBe('connected'));
  await applyTopology({ channels: connection, vhost });
  const channel = await connection.channel();
  const park = (options: Options.Publish, body = '{"account":7}') =>
    channel.sendToQueue(PARKED_COMMANDS, Buffer.from(body), { persistent: true, ...options });
  const counted = (queue: string, count: number) =>
    eventually(async () => expect((await channel.checkQueue(queue)).messageCount).toBe(count));
  return { channel, park, counted, connection, parked: new ParkedCommands(connection) };
}

async function taken(channel: Channel) {
  const messages = [];
  for (let got = await channel.get(COMMAND_QUEUE, { noAck: true }); got;) {
    // Added by the broker.
    delete got.properties.headers?.['x-delivery-count'];
    messages.push(got);
    got = await channel.get(COMMAND_QUEUE, { noAck: true });
  }
  return messages;
}

describe('parked commands', () => {
  it('can be listed any number of times, with the reason each was parked', async () => {
    const { park, counted, parked } = await openParked();
    park(useOf('message-1'));
    park({ headers: { 'x-first-death-reason': 'delivery_limit' } }, 'no json');
    await counted(PARKED_COMMANDS, 2);
    for (let time = 0; time < 25; time++) expect(await parked.list({})).toHaveLength(2);
    expect(await parked.count()).toBe(2);
    const first = { id: 'message-1', type: 'ssh-key.use', errorCode: 'key-unknown', attempts: 3, bytes: 13 };
    expect(await parked.list({ type: 'ssh-key.use' })).toEqual([
      { ...first, firstFailedAt: '2026-01-15T12:00:00.000Z' },
    ]);
    const [nameless] = await parked.list({ type: '-' });
    expect(nameless).toMatchObject({ id: expect.stringMatching(/^#[\da-f]{12}$/), errorCode: 'delivery_limit' });
    expect(await parked.list({ id: nameless!.id })).toEqual([nameless]);
  });

  it('are listed without control characters of the terminal', async () => {
    const { park, counted, parked } = await openParked();
    const red = '\u001b[31m';
    park({ messageId: `${red}id`, type: `${red}type`, headers: { 'x-error-code': red, 'x-first-failed-at': red } });
    await counted(PARKED_COMMANDS, 1);
    const [listed] = await parked.list({});
    expect(JSON.stringify(Object.values(listed!))).not.toContain('u001b');
    expect(listed).toMatchObject({ id: expect.stringMatching(/^#/), type: '-', errorCode: '-' });
  });

  it('are shown with headers and body', async () => {
    const { park, counted, parked } = await openParked();
    park(useOf('message-1'), '{"account":"seven"}');
    park(useOf('message-2'));
    await counted(PARKED_COMMANDS, 2);
    expect(await parked.show('message-1')).toEqual([
      expect.objectContaining({
        id: 'message-1',
        body: '{"account":"seven"}',
        headers: expect.objectContaining({ tenant: 'a' }),
      }),
    ]);
    expect(await parked.show('message-3')).toEqual([]);
    await counted(PARKED_COMMANDS, 2);
  });

  it('arrive as if for the first time when redriven, and the others stay', async () => {
    const { channel, park, counted, parked } = await openParked();
    for (const id of ['message-1', 'message-2', 'message-3']) park(useOf(id));
    park({ messageId: 'message-4', type: 'other' });
    await counted(PARKED_COMMANDS, 4);
    const sent: string[] = [];
    await parked.redrive({ type: 'ssh-key.use' }, 2, ({ id }) => void sent.push(id));
    expect(sent).toEqual(['message-1', 'message-2']);
    await counted(PARKED_COMMANDS, 2);
    const messages = await taken(channel);
    expect(
      messages.map(({ properties, content }) => [properties.messageId, properties.headers, String(content)]),
    ).toEqual(
      ['message-1', 'message-2'].map((id) => [
        id,
        { cloudEvents_type: 'ssh-key.use', tenant: 'a', 'x-redriven': 1 },
        '{"account":7}',
      ]),
    );
    expect((await parked.list({})).map(({ id }) => id).toSorted()).toEqual(['message-3', 'message-4']);
  });

  it('count their redrives', async () => {
    const { channel, park, counted, parked } = await openParked();
    park({ ...useOf('message-1'), headers: { 'x-redriven': 4, ...failedWith('key-unknown') } });
    await counted(PARKED_COMMANDS, 1);
    await parked.redrive({}, Infinity, () => undefined);
    expect((await taken(channel))[0]?.properties.headers).toEqual({ 'x-redriven': 5 });
  });

  it('are deleted when dropped, and the others stay', async () => {
    const { park, counted, parked } = await openParked();
    for (const id of ['message-1', 'message-1', 'message-2']) park(useOf(id));
    await counted(PARKED_COMMANDS, 3);
    const dropped = vi.fn<() => void>();
    await parked.drop({ id: 'message-1' }, dropped);
    expect(dropped).toHaveBeenCalledTimes(2);
    await counted(PARKED_COMMANDS, 1);
  });

  it('cannot be read without a broker', async () => {
    const { connection, parked } = await openParked();
    await connection.close();
    await expect(parked.list({})).rejects.toBeInstanceOf(BrokerUnavailable);
  });
});
