import { NOT_FOUND } from '../channel-error.js';
import {
  declareExchange,
  declareQueue,
  diffBinding,
  diffExchange,
  diffPolicy,
  diffQueue,
  type Broker,
} from './diff-topology.js';
import { foundOr, refused, type Finding } from './finding.js';
import type { Management } from './management.js';
import { refusingSubscribers } from './refusing-subscribers.js';
import { attemptOnScratchChannel, type ChannelSource } from './scratch-channel.js';
import { TOPOLOGY, type BindingObject, type PolicyObject } from './topology.js';

/**
 * Creates missing objects and reports different ones, which stay as they are: an operator may have changed them on purpose, and RabbitMQ
 * cannot change most of them. Deletes nothing. Idempotent.
 *
 * @throws BrokerUnavailable
 */
export async function applyTopology(broker: Broker): Promise<readonly Finding[]> {
  const { channels, management } = broker;
  const findings: Finding[] = [];
  for (const exchange of TOPOLOGY.exchanges) {
    const found = await diffExchange(broker, exchange);
    findings.push(await createIfMissing(channels, found, (channel) => declareExchange(channel, exchange)));
  }
  for (const queue of TOPOLOGY.queues) {
    const found = await diffQueue(broker, queue);
    findings.push(await createIfMissing(channels, found, (channel) => declareQueue(channel, queue)));
  }
  for (const binding of TOPOLOGY.bindings) findings.push(await bind(broker, binding));
  for (const policy of TOPOLOGY.policies) {
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

/** Binding twice is harmless, so an unknown binding is bound as well. */
async function bind(broker: Broker, binding: BindingObject): Promise<Finding> {
  const found = await diffBinding(broker, binding);
  if (found.state === 'same') return found;
  const { exchange, queue, routingKey } = binding;
  const refusal = await attemptOnScratchChannel(broker.channels, (channel) =>
    channel.bindQueue(queue, exchange, routingKey),
  );
  if (refusal?.code === NOT_FOUND) return { object: found.object, state: 'missing', detail: refusal.reason };
  if (refusal) return refused(found.object, refusal);
  return { object: found.object, state: found.state === 'missing' ? 'created' : 'same' };
}

async function createIfMissing(
  channels: ChannelSource,
  found: Finding,
  create: Parameters<typeof attemptOnScratchChannel>[1],
): Promise<Finding> {
  if (found.state !== 'missing') return found;
  const refusal = await attemptOnScratchChannel(channels, create);
  if (refusal) return { ...found, detail: refused(found.object, refusal).detail };
  return { object: found.object, state: 'created' };
}
