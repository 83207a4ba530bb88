import {
  declareExchange,
  declareQueue,
  diffBinding,
  diffExchange,
  diffPolicy,
  diffQueue,
  type Broker,
} from './diff-topology.js';
import { foundOr, type Finding } from './finding.js';
import type { Management } from './management.js';
import { refusingSubscribers } from './refusing-subscribers.js';
import { refusalOf, type ChannelSource } from './scratch-channel.js';
import { TOPOLOGY, type BindingObject, type PolicyObject } from './topology.js';

/**
 * Makes what is missing and tells what differs, which it leaves as it is: an operator may want it so, and RabbitMQ cannot change most of
 * it. Deletes nothing. Repeating it does no harm.
 *
 * @throws BrokerUnavailable
 */
export async function applyTopology(broker: Broker, topology = TOPOLOGY): Promise<readonly Finding[]> {
  const { channels, management } = broker;
  const findings: Finding[] = [];
  for (const exchange of topology.exchanges) {
    const found = await diffExchange(broker, exchange);
    findings.push(await madeWhenMissing(channels, found, (channel) => declareExchange(channel, exchange)));
  }
  for (const queue of topology.queues) {
    const found = await diffQueue(broker, queue);
    findings.push(await madeWhenMissing(channels, found, (channel) => declareQueue(channel, queue)));
  }
  for (const binding of topology.bindings) findings.push(await bind(broker, binding));
  for (const policy of topology.policies) {
    const found = await diffPolicy(broker, policy);
    findings.push(found.state === 'missing' && management ? await setPolicy(management, policy, found.object) : found);
  }
  if (management) findings.push(...(await refusingSubscribers(management)));
  return findings;
}

const setPolicy = (management: Management, policy: PolicyObject, object: string): Promise<Finding> =>
  foundOr(object, 'missing', async () => {
    await management.setPolicy(policy);
    return { object, state: 'created' };
  });

/** A binding that is there is not made twice. */
async function bind(broker: Broker, binding: BindingObject): Promise<Finding> {
  const found = await diffBinding(broker, binding);
  if (found.state === 'same') return found;
  const { exchange, queue, routingKey } = binding;
  const refusal = await refusalOf(broker.channels, (channel) => channel.bindQueue(queue, exchange, routingKey));
  if (refusal) return { object: found.object, state: 'missing', detail: refusal.reason };
  return { object: found.object, state: found.state === 'missing' ? 'created' : 'same' };
}

async function madeWhenMissing(
  channels: ChannelSource,
  found: Finding,
  make: Parameters<typeof refusalOf>[1],
): Promise<Finding> {
  if (found.state !== 'missing') return found;
  const refusal = await refusalOf(channels, make);
  if (refusal) return { ...found, detail: refusal.reason };
  return { object: found.object, state: 'created' };
}
