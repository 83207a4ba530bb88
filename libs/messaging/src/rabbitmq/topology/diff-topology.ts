import type { Channel } from 'amqplib';
import { NOT_FOUND, PRECONDITION_FAILED } from '../channel-error.js';
import { exchangeAdvice, policyCommand, queueAdvice } from './advice.js';
import { foundOr, refused, type Finding } from './finding.js';
import type { Management } from './management.js';
import { refusingSubscribers } from './refusing-subscribers.js';
import { attemptOnScratchChannel, type ChannelSource } from './scratch-channel.js';
import { TOPOLOGY, type BindingObject, type ExchangeObject, type PolicyObject, type QueueObject } from './topology.js';

/** Access to a virtual host. Without the management API, bindings and policies are unknown. */
export type Broker = Readonly<{ channels: ChannelSource; management?: Management | undefined; vhost: string }>;

/**
 * Compares every object of the broker with the topology. Changes nothing.
 *
 * @throws BrokerUnavailable
 */
export async function diffTopology(broker: Broker): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const exchange of TOPOLOGY.exchanges) findings.push(await diffExchange(broker, exchange));
  for (const queue of TOPOLOGY.queues) findings.push(await diffQueue(broker, queue));
  for (const binding of TOPOLOGY.bindings) findings.push(await diffBinding(broker, binding));
  for (const policy of TOPOLOGY.policies) findings.push(await diffPolicy(broker, policy));
  if (broker.management) findings.push(...(await refusingSubscribers(broker.management)));
  return findings;
}

/**
 * Compares an exchange. `refused` if this user may not check or declare it. Changes nothing.
 *
 * @throws BrokerUnavailable
 */
export async function diffExchange({ channels }: Broker, exchange: ExchangeObject): Promise<Finding> {
  const object = `exchange ${exchange.name}`;
  return diffDeclared(channels, object, exchangeAdvice(exchange.name), {
    check: (channel) => channel.checkExchange(exchange.name),
    declare: (channel) => declareExchange(channel, exchange),
  });
}

/**
 * Compares a queue: every argument with the management API; without it, only those for which RabbitMQ refuses a declaration. Changes
 * nothing.
 *
 * @throws BrokerUnavailable
 */
export async function diffQueue({ channels, management, vhost }: Broker, queue: QueueObject): Promise<Finding> {
  const object = `queue ${queue.name}`;
  const advice = queueAdvice(queue.name, vhost);
  const finding = await diffDeclared(channels, object, advice, {
    check: (channel) => channel.checkQueue(queue.name),
    declare: (channel) => declareQueue(channel, queue),
  });
  if (finding.state !== 'same' || !management) return finding;
  return foundOr(object, 'same', async () => {
    // RabbitMQ accepts a declaration although some arguments differ, such as the delivery limit.
    const found = (await management.queue(queue.name))?.arguments ?? {};
    const differences = differencesOf(queue.arguments, found);
    return differences.length === 0
      ? finding
      : { object, state: 'different', detail: [...differences, advice].join('\n') };
  });
}

/** Compares a binding; `unknown` if the management API is unavailable. Changes nothing. */
export async function diffBinding({ management }: Broker, binding: BindingObject): Promise<Finding> {
  const object = `binding ${binding.exchange} -> ${binding.queue} (${binding.routingKey})`;
  if (!management)
    return { object, state: 'unknown', detail: 'Bindings cannot be read over AMQP; "apply" binds again' };
  return foundOr(object, 'unknown', async () => {
    return { object, state: (await management.hasBinding(binding)) ? 'same' : 'missing' };
  });
}

/** Compares a policy; `unknown` as for a binding. The detail contains the command that sets the policy. Changes nothing. */
export async function diffPolicy({ management, vhost }: Broker, policy: PolicyObject): Promise<Finding> {
  const object = `${policy.kind} ${policy.name}`;
  const command = policyCommand(policy, vhost);
  if (!management)
    return { object, state: 'unknown', detail: `Policies cannot be read over AMQP. To set this one:\n${command}` };
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

type Steps = Readonly<Record<'check' | 'declare', (channel: Channel) => Promise<unknown>>>;

/** Declares an existing object again: that changes nothing, and the broker refuses if the object differs. */
async function diffDeclared(channels: ChannelSource, object: string, advice: string, steps: Steps): Promise<Finding> {
  const unreadable = await attemptOnScratchChannel(channels, steps.check);
  if (unreadable?.code === NOT_FOUND) return { object, state: 'missing' };
  if (unreadable) return refused(object, unreadable);
  const refusal = await attemptOnScratchChannel(channels, steps.declare);
  if (!refusal) return { object, state: 'same' };
  if (refusal.code !== PRECONDITION_FAILED) return refused(object, refusal);
  return { object, state: 'different', detail: `${refusal.reason}\n${advice}` };
}

type Settings = Readonly<Record<string, unknown>>;

function differencesOf(wanted: Settings, found: Settings): string[] {
  return [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    .filter((name) => !IGNORED_FIELDS.has(name) && wanted[name] !== found[name])
    .map((name) => `${name} is ${textOf(found[name])}, expected ${textOf(wanted[name])}`);
}

/** Fields of a stored policy that identify it or are compared separately. */
const IGNORED_FIELDS = new Set(['vhost', 'name', 'definition']);

const textOf = (value: unknown) => (value === undefined ? 'not set' : JSON.stringify(value));
