import type { Channel } from 'amqplib';
import { exchangeAdvice, policyCommand, queueAdvice } from './advice.js';
import { foundOr, type Finding } from './finding.js';
import type { Management } from './management.js';
import { refusingSubscribers } from './refusing-subscribers.js';
import { NOT_FOUND, PRECONDITION_FAILED, refusalOf, type ChannelSource } from './scratch-channel.js';
import { TOPOLOGY, type BindingObject, type ExchangeObject, type PolicyObject, type QueueObject } from './topology.js';

/** Where the topology is looked at. Bindings and policies are unknown without the management API. */
export type Broker = Readonly<{ channels: ChannelSource; management?: Management | undefined; vhost: string }>;

/**
 * Compares every object of the broker with how it should be. Changes nothing.
 *
 * @throws BrokerUnavailable
 */
export async function diffTopology(broker: Broker, topology = TOPOLOGY): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const exchange of topology.exchanges) findings.push(await diffExchange(broker, exchange));
  for (const queue of topology.queues) findings.push(await diffQueue(broker, queue));
  for (const binding of topology.bindings) findings.push(await diffBinding(broker, binding));
  for (const policy of topology.policies) findings.push(await diffPolicy(broker, policy));
  if (broker.management) findings.push(...(await refusingSubscribers(broker.management)));
  return findings;
}

/**
 * How an exchange of the broker is. `unknown` where this user may not look. Changes nothing.
 *
 * @throws BrokerUnavailable
 */
export async function diffExchange({ channels }: Broker, exchange: ExchangeObject): Promise<Finding> {
  const object = `exchange ${exchange.name}`;
  return diffDeclared(channels, object, exchangeAdvice(exchange.name), {
    look: (channel) => channel.checkExchange(exchange.name),
    declare: (channel) => declareExchange(channel, exchange),
  });
}

/**
 * How a queue of the broker is; with the management API every argument is compared, without it only those that a declaration is refused
 * for. Changes nothing.
 *
 * @throws BrokerUnavailable
 */
export async function diffQueue({ channels, management, vhost }: Broker, queue: QueueObject): Promise<Finding> {
  const object = `queue ${queue.name}`;
  const advice = queueAdvice(queue.name, vhost);
  const finding = await diffDeclared(channels, object, advice, {
    look: (channel) => channel.checkQueue(queue.name),
    declare: (channel) => declareQueue(channel, queue),
  });
  if (finding.state !== 'same' || !management) return finding;
  return foundOr(object, 'same', async () => {
    // A declaration is not refused for every argument that differs, such as the delivery limit.
    const found = (await management.queue(queue.name))?.arguments ?? {};
    const differences = differencesOf(queue.arguments, found);
    return differences.length === 0
      ? finding
      : { object, state: 'different', detail: [...differences, advice].join('\n') };
  });
}

/** Whether a binding is there; `unknown` without the management API, or where that does not answer this user. Changes nothing. */
export async function diffBinding({ management }: Broker, binding: BindingObject): Promise<Finding> {
  const object = `binding ${binding.exchange} -> ${binding.queue} (${binding.routingKey})`;
  if (!management) return { object, state: 'unknown', detail: 'AMQP does not tell bindings: "apply" makes it again' };
  return foundOr(object, 'unknown', async () => {
    return { object, state: (await management.hasBinding(binding)) ? 'same' : 'missing' };
  });
}

/** How a policy is; `unknown` as for a binding. What is not as it should be comes with the command that sets it. Changes nothing. */
export async function diffPolicy({ management, vhost }: Broker, policy: PolicyObject): Promise<Finding> {
  const object = `${policy.kind} ${policy.name}`;
  const command = policyCommand(policy, vhost);
  if (!management) return { object, state: 'unknown', detail: `AMQP does not tell policies. To set it:\n${command}` };
  return foundOr(object, 'unknown', async () => {
    const found = await management.policy(policy);
    if (!found) return { object, state: 'missing' };
    const { pattern, priority, definition } = policy;
    const differences = differencesOf({ pattern, priority, 'apply-to': 'queues' }, found);
    differences.push(...differencesOf(definition, found.definition));
    if (differences.length === 0) return { object, state: 'same' };
    return { object, state: 'different', detail: [...differences, `To set it: ${command}`].join('\n') };
  });
}

export const declareExchange = (channel: Channel, { name, type }: ExchangeObject) =>
  channel.assertExchange(name, type, { durable: true });

export const declareQueue = (channel: Channel, queue: QueueObject) =>
  channel.assertQueue(queue.name, { durable: true, arguments: { ...queue.arguments } });

type Steps = Readonly<Record<'look' | 'declare', (channel: Channel) => Promise<unknown>>>;

/** To declare what is there changes nothing: the broker says whether it is the same. */
async function diffDeclared(channels: ChannelSource, object: string, advice: string, steps: Steps): Promise<Finding> {
  const unseen = await refusalOf(channels, steps.look);
  if (unseen?.code === NOT_FOUND) return { object, state: 'missing' };
  if (unseen) return { object, state: 'unknown', detail: unseen.reason };
  const refusal = await refusalOf(channels, steps.declare);
  if (!refusal) return { object, state: 'same' };
  if (refusal.code !== PRECONDITION_FAILED) return { object, state: 'unknown', detail: refusal.reason };
  return { object, state: 'different', detail: `${refusal.reason}\n${advice}` };
}

type Settings = Readonly<Record<string, unknown>>;

function differencesOf(wanted: Settings, found: Settings): string[] {
  return [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    .filter((name) => !EXPLAINED.has(name) && wanted[name] !== found[name])
    .map((name) => `${name} is ${told(found[name])} and should be ${told(wanted[name])}`);
}

/** Of a stored policy: where it is, and what is compared by itself. */
const EXPLAINED = new Set(['vhost', 'name', 'definition']);

const told = (value: unknown) => (value === undefined ? 'not set' : JSON.stringify(value));
