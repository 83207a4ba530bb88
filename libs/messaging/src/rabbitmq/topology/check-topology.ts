import { NOT_FOUND, attemptOnScratchChannel, type ChannelSource } from './scratch-channel.js';
import { TOPOLOGY } from './topology.js';

/**
 * Returns a problem, with what to do about it, for each exchange and queue that is missing or cannot be checked. Needs no permission to
 * configure.
 *
 * @throws BrokerUnavailable
 */
export async function checkTopology(channels: ChannelSource): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name } of TOPOLOGY.exchanges) {
    const refusal = await attemptOnScratchChannel(channels, (channel) => channel.checkExchange(name));
    if (refusal) problems.push(problem(`exchange ${name}`, refusal));
  }
  for (const { name } of TOPOLOGY.queues) {
    const refusal = await attemptOnScratchChannel(channels, (channel) => channel.checkQueue(name));
    if (refusal) problems.push(problem(`queue ${name}`, refusal));
  }
  return problems;
}

const problem = (object: string, refusal: { code: number; reason: string }) =>
  refusal.code === NOT_FOUND
    ? `the ${object} is missing: run keyfold topology apply`
    : `the ${object} cannot be checked: ${refusal.reason}`;
