import { NOT_FOUND, refusalOf, type ChannelSource } from './scratch-channel.js';
import { TOPOLOGY } from './topology.js';

/**
 * What is missing of the exchanges and queues, one text each with what to do about it; empty when all are there. Only looks, so it
 * needs no right to configure anything.
 *
 * @throws BrokerUnavailable
 */
export async function checkTopology(channels: ChannelSource, topology = TOPOLOGY): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name } of topology.exchanges) {
    const refusal = await refusalOf(channels, (channel) => channel.checkExchange(name));
    if (refusal) problems.push(problem(`exchange ${name}`, refusal));
  }
  for (const { name } of topology.queues) {
    const refusal = await refusalOf(channels, (channel) => channel.checkQueue(name));
    if (refusal) problems.push(problem(`queue ${name}`, refusal));
  }
  return problems;
}

const problem = (object: string, refusal: { code: number; reason: string }) =>
  refusal.code === NOT_FOUND
    ? `the ${object} is missing: run keyfold topology apply`
    : `the ${object} cannot be looked at: ${refusal.reason}`;
