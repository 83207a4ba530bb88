import type { Channel } from 'amqplib';
import {
  ACCESS_REFUSED,
  APPLY_ADVICE,
  attemptOnScratchChannel,
  isOffline,
  NOT_FOUND,
  type ChannelSource,
} from '../connection/channels.js';
import { TOPOLOGY } from './topology.js';

/**
 * Returns a problem for each exchange and queue that is missing. Leaves out those that this user may not check: RabbitMQ 4.2.6 and 4.3.0
 * demand the permission to configure them, later versions any permission, and earlier ones none. Consumers and publishers report missing
 * permissions, and missing objects that were not checked.
 *
 * @throws BrokerUnavailable
 */
export async function checkTopology(channels: ChannelSource): Promise<readonly string[]> {
  const problems: string[] = [];
  const check = async (object: string, operation: (channel: Channel) => Promise<unknown>) => {
    const refusal = await attemptOnScratchChannel(channels, operation);
    if (refusal?.code === NOT_FOUND && !isOffline(refusal)) problems.push(`the ${object} is missing: ${APPLY_ADVICE}`);
    else if (refusal && refusal.code !== ACCESS_REFUSED)
      problems.push(`the ${object} cannot be checked: ${refusal.reason}`);
  };
  for (const { name } of TOPOLOGY.exchanges) await check(`exchange ${name}`, (channel) => channel.checkExchange(name));
  for (const { name } of TOPOLOGY.queues) await check(`queue ${name}`, (channel) => channel.checkQueue(name));
  return problems;
}

/**
 * Whether RabbitMQ reports that a queue does not exist. False if this user may not check it.
 *
 * @throws BrokerUnavailable
 */
export async function isQueueMissing(channels: ChannelSource, queue: string): Promise<boolean> {
  const refusal = await attemptOnScratchChannel(channels, (channel) => channel.checkQueue(queue));
  return refusal?.code === NOT_FOUND;
}
