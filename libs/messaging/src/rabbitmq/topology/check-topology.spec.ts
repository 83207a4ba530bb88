import type { Channel } from 'amqplib';
import { describe, expect, it } from 'vitest';
import { accessRefused, channelRefusal, notFound } from '../../../testing/model-connection.js';
import type { ChannelSource } from '../connection/channels.js';
import { diffTopology } from './apply-topology.js';
import { checkTopology, isQueueMissing } from './check-topology.js';
import { COMMAND_QUEUE, EVENT_LOG, TOPOLOGY } from './topology.js';

/** A broker that answers checks of an object with `refusals` of its name, and those of all others with success. */
function brokerWith(refusals: Readonly<Record<string, Error>>): ChannelSource {
  const check = async (name: string) => {
    const refusal = refusals[name];
    if (refusal) throw refusal;
  };
  const done = async () => undefined;
  const channel = { checkQueue: check, checkExchange: check, assertQueue: done, assertExchange: done, close: done };
  return { channel: async () => channel as unknown as Channel };
}

const locked = channelRefusal(
  405,
  'RESOURCE_LOCKED',
  "cannot obtain exclusive access to locked queue 'keyfold.commands.q'",
);

const down = channelRefusal(
  404,
  'NOT_FOUND',
  `home node 'a@b' of durable queue '${EVENT_LOG}' in vhost '/' is down or inaccessible`,
);

it('a diff over AMQP alone says how a queue comes back whose node is down', async () => {
  const findings = await diffTopology({ channels: brokerWith({ [EVENT_LOG]: down }), vhost: '/' });
  expect(findings.filter(({ state }) => state === 'offline')).toEqual([
    {
      object: `queue ${EVENT_LOG}`,
      state: 'offline',
      detail: expect.stringMatching(
        /down or inaccessible, so it takes no messages\. Start the nodes of its members\. If that is impossible, run\nrabbitmqctl delete_queue keyfold\.events\.log -p \//,
      ),
    },
  ]);
});

describe('a check of the topology', () => {
  it('leaves out what the user may not check', async () => {
    const every = [...TOPOLOGY.exchanges, ...TOPOLOGY.queues].map(({ name }) => [name, accessRefused(name)]);
    expect(await checkTopology(brokerWith(Object.fromEntries(every)))).toEqual([]);
  });

  it('says that a queue is offline, not that apply would create it', async () => {
    expect(await checkTopology(brokerWith({ [EVENT_LOG]: down }))).toEqual([
      expect.stringMatching(/^the queue keyfold\.events\.log cannot be checked: home node .* is down or inaccessible$/),
    ]);
  });

  it('reports what is missing or cannot be checked for another reason', async () => {
    const broker = brokerWith({
      'keyfold.events': notFound("exchange 'keyfold.events'"),
      [EVENT_LOG]: accessRefused("queue 'keyfold.events.log'"),
      [COMMAND_QUEUE]: locked,
    });
    expect(await checkTopology(broker)).toEqual([
      'the exchange keyfold.events is missing: run keyfold topology apply',
      "the queue keyfold.commands.q cannot be checked: cannot obtain exclusive access to locked queue 'keyfold.commands.q'",
    ]);
  });
});

describe('a queue', () => {
  it.each([
    ['is missing if it does not exist', notFound("queue 'sftp.events'"), true],
    ['is not missing if the user may not check it', accessRefused("queue 'sftp.events'"), false],
    ['is not missing if another connection uses it exclusively', locked, false],
  ])('%s', async (_, refusal, isMissing) => {
    expect(await isQueueMissing(brokerWith({ 'sftp.events': refusal }), 'sftp.events')).toBe(isMissing);
  });

  it('is not missing if it exists', async () => {
    expect(await isQueueMissing(brokerWith({}), 'sftp.events')).toBe(false);
  });

  it('cannot be checked over a lost connection', async () => {
    const broker = brokerWith({ 'sftp.events': new Error('Channel ended, no reply will be forthcoming') });
    await expect(isQueueMissing(broker, 'sftp.events')).rejects.toHaveProperty('name', 'BrokerUnavailable');
  });
});
