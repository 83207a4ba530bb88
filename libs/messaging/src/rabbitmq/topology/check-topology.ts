import {
  ACCESS_REFUSED,
  APPLY_ADVICE,
  attemptOnScratchChannel,
  NOT_FOUND,
  type ChannelError,
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
  for (const { name } of TOPOLOGY.exchanges) {
    const refusal = await attemptOnScratchChannel(channels, (channel) => channel.checkExchange(name));
    if (refusal) problems.push(...problemsOf(`exchange ${name}`, refusal));
  }
  for (const { name } of TOPOLOGY.queues) {
    const refusal = await attemptOnScratchChannel(channels, (channel) => channel.checkQueue(name));
    if (refusal) problems.push(...problemsOf(`queue ${name}`, refusal));
  }
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

function problemsOf(object: string, { code, reason }: ChannelError): string[] {
  if (code === ACCESS_REFUSED) return [];
  return [
    code === NOT_FOUND ? `the ${object} is missing: ${APPLY_ADVICE}` : `the ${object} cannot be checked: ${reason}`,
  ];
}
