import type { Channel } from 'amqplib';
import { EVENTS_EXCHANGE } from '../../publishing.js';
import {
  ACCESS_REFUSED,
  attemptOnScratchChannel,
  GRANT_ADVICE,
  isOffline,
  NOT_FOUND,
  PRECONDITION_FAILED,
  type ChannelError,
  type ChannelSource,
} from '../connection/channels.js';
import { ManagementUnavailable, type Management, type QueueState, type StoredPolicy } from './management.js';
import {
  policiesWith,
  TOPOLOGY,
  type BindingObject,
  type ExchangeObject,
  type PolicyObject,
  type QueueObject,
} from './topology.js';

/** The result of comparing one object of the broker with the topology. */
export type Finding = Readonly<{
  /** For example `queue keyfold.rpc`. */
  object: string;
  /**
   * `refused`: RabbitMQ does not let this user compare or create the object. `unknown`: the object cannot be compared without the management
   * API. `offline`: no member of the queue is online. In these cases `detail` says why.
   */
  state: 'same' | 'missing' | 'different' | 'created' | 'changed' | 'refused' | 'offline' | 'unknown';
  /** The difference and what an operator can do about it, in one or more lines. */
  detail?: string;
}>;

/** Whether an operator has to act. */
export const isOpen = ({ state }: Finding) => ['missing', 'different', 'refused', 'offline'].includes(state);

/**
 * Access to a virtual host. Without the management API, bindings and policies are unknown. `eventLogDays`: for how long the log of events
 * keeps an event, if a setting says so.
 */
export type Broker = Readonly<{
  channels: ChannelSource;
  management?: Management | undefined;
  vhost: string;
  eventLogDays?: number;
}>;

/**
 * Compares every object of the broker with the topology. Changes nothing.
 *
 * @throws BrokerUnavailable
 */
export const diffTopology = (broker: Broker) => findingsOf(broker, ({ compare }) => compare());

/**
 * Creates missing objects and reports different ones, which stay as they are: an operator may have changed them on purpose, and RabbitMQ
 * cannot change most of them. A policy that differs only in what a setting says is changed. Deletes nothing. Idempotent.
 *
 * @throws BrokerUnavailable
 */
export const applyTopology = (broker: Broker) =>
  findingsOf(broker, async ({ compare, apply }) => apply(await compare()));

/** An object of the topology. `apply` takes what `compare` found. */
type Part = Readonly<{ compare(): Promise<Finding>; apply(found: Finding): Promise<Finding> }>;

async function findingsOf(broker: Broker, findingOf: (part: Part) => Promise<Finding>): Promise<readonly Finding[]> {
  const parts = [
    ...TOPOLOGY.exchanges.map((exchange) => exchangePart(broker, exchange)),
    ...TOPOLOGY.queues.map((queue) => queuePart(broker, queue)),
    ...TOPOLOGY.bindings.map((binding) => bindingPart(broker, binding)),
    ...policiesWith(broker.eventLogDays).map((policy) => policyPart(broker, policy)),
  ];
  const findings: Finding[] = [];
  for (const part of parts) findings.push(await findingOf(part));
  if (broker.management) findings.push(...(await refusingSubscribers(broker.management)));
  return findings;
}

const exchangePart = ({ channels }: Broker, { name, type }: ExchangeObject): Part =>
  declaredPart(channels, {
    object: `exchange ${name}`,
    advice:
      `RabbitMQ cannot change an existing exchange. To recreate it, delete ${name} in the management UI and\n` +
      `run keyfold topology apply. Every subscriber must then bind its queues again.`,
    check: (channel) => channel.checkExchange(name),
    declare: (channel) => channel.assertExchange(name, type, { durable: true }),
  });

/** Compares every argument with the management API; without it, only those for which RabbitMQ refuses a declaration. */
function queuePart({ channels, management, vhost }: Broker, { name, arguments: wanted }: QueueObject): Part {
  const object = `queue ${name}`;
  const recreation =
    `rabbitmqctl delete_queue ${name} -p ${quoted(vhost)}\n` +
    `and then keyfold topology apply. Messages left in the queue are lost.`;
  const advice = `RabbitMQ cannot change an existing queue. To recreate it, stop its publishers, empty it, and run\n${recreation}`;
  const part = declaredPart(channels, {
    object,
    advice,
    check: (channel) => channel.checkQueue(name),
    declare: (channel) => channel.assertQueue(name, { durable: true, arguments: { ...wanted } }),
  });
  const offline = (reason?: string): Finding => {
    return { object, state: 'offline', detail: `${offlineBecause(reason)} If that is impossible, run\n${recreation}` };
  };
  const compare = async () => {
    const finding = await part.compare();
    if (finding.state === 'offline') return offline(finding.detail);
    if (finding.state !== 'same' || !management) return finding;
    return foundOr(finding, async () => {
      // RabbitMQ accepts a declaration although some arguments differ, such as the delivery limit.
      const queue = await management.queue(name);
      if (queue && hasNoMember(queue)) return offline();
      const differences = differencesOf(wanted, queue?.arguments ?? {});
      if (differences.length === 0) return finding;
      return { object, state: 'different', detail: [...differences, advice].join('\n') };
    });
  };
  return { ...part, compare };
}

type Declared = Readonly<Record<'object' | 'advice', string>> &
  Readonly<Record<'check' | 'declare', (channel: Channel) => Promise<unknown>>>;

const declaredPart = (channels: ChannelSource, { object, advice, check, declare }: Declared): Part => ({
  /** Declares an existing object again: that changes nothing, and the broker refuses if the object differs. */
  async compare() {
    const unreadable = await attemptOnScratchChannel(channels, check);
    if (unreadable && isOffline(unreadable)) return { object, state: 'offline', detail: unreadable.reason };
    if (unreadable?.code === NOT_FOUND) return { object, state: 'missing' };
    if (unreadable) return refused(object, unreadable);
    const refusal = await attemptOnScratchChannel(channels, declare);
    if (!refusal) return { object, state: 'same' };
    if (refusal.code !== PRECONDITION_FAILED) return refused(object, refusal);
    return { object, state: 'different', detail: `${refusal.reason}\n${advice}` };
  },
  async apply(found) {
    if (found.state !== 'missing') return found;
    const refusal = await attemptOnScratchChannel(channels, declare);
    return refusal ? { ...refused(object, refusal), state: 'missing' } : { object, state: 'created' };
  },
});

function bindingPart({ channels, management }: Broker, binding: BindingObject): Part {
  const { exchange, queue, routingKey } = binding;
  const object = `binding ${exchange} -> ${queue} (${routingKey})`;
  return {
    async compare() {
      if (!management)
        return { object, state: 'unknown', detail: 'bindings cannot be read over AMQP; "apply" binds again' };
      return foundOr({ object, state: 'unknown' }, async () => {
        return { object, state: (await management.hasBinding(binding)) ? 'same' : 'missing' };
      });
    },
    /** Binding twice is harmless, so an unknown binding is bound as well. */
    async apply(found) {
      if (found.state === 'same') return found;
      const bind = (channel: Channel) => channel.bindQueue(queue, exchange, routingKey);
      const refusal = await attemptOnScratchChannel(channels, bind);
      if (refusal?.code === NOT_FOUND) return { object, state: 'missing', detail: refusal.reason };
      if (refusal) return refused(object, refusal);
      return { object, state: found.state === 'missing' ? 'created' : 'same' };
    },
  };
}

function policyPart({ management, vhost }: Broker, policy: PolicyObject): Part {
  const { kind, name, pattern, priority, definition, setting } = policy;
  const object = `${kind} ${name}`;
  const action = kind === 'policy' ? 'set_policy' : 'set_operator_policy';
  const text = [name, pattern, JSON.stringify(definition)].map(quoted).join(' ');
  const command = `rabbitmqctl ${action} -p ${quoted(vhost)} --priority ${priority} --apply-to queues ${text}`;
  const detail = `To set this one:\n${command}`;
  return {
    async compare() {
      if (!management) return { object, state: 'unknown', detail: `policies cannot be read over AMQP\n${detail}` };
      return foundOr({ object, state: 'unknown', detail }, async () => {
        const found = await management.policy(policy);
        if (!found) return { object, state: 'missing' };
        const differences = differencesOfPolicy(policy, found);
        if (differences.length === 0) return { object, state: 'same' };
        return { object, state: 'different', detail: [...differences, `To set it: ${command}`].join('\n') };
      });
    },
    async apply(found) {
      if (!management || (found.state !== 'missing' && found.state !== 'different')) return found;
      return foundOr({ ...found, detail }, async () => {
        const stored = await management.policy(policy);
        if (stored && differencesOfPolicy(policy, stored, setting).length > 0) return found;
        await management.setPolicy(policy);
        if (!stored || setting === undefined) return { object, state: 'created' };
        const detail = `${setting} was ${textOf(stored.definition[setting])} and is now ${textOf(definition[setting])}`;
        return { object, state: 'changed', detail };
      });
    },
  };
}

const offlineBecause = (reason = 'No member of the queue is online') =>
  `${reason}, so it takes no messages. Start the nodes of its members.`;

/** A queue whose statistics are collected names its online members; RabbitMQ 3.10 omits the field if there are none. */
const hasNoMember = ({ type, online, state, messages }: QueueState) =>
  type !== 'classic' && (online ? online.length === 0 : state === undefined && messages !== undefined);

const REFUSING = new Set<unknown>(['reject-publish', 'reject-publish-dlx']);
const OWN = new Set(TOPOLOGY.queues.map(({ name }) => name));
const SUBSCRIBER_ADVICE =
  `A full queue with reject-publish blocks the events of all subscribers. Have its owner recreate it\n` +
  `without the argument x-overflow, or as a quorum queue, to which the policy keyfold-subscribers applies.`;

/**
 * Finds the queues of subscribers that reject messages when full. The broker confirms an event once every matching queue has it, so one
 * such queue blocks the events of all subscribers. The policy for subscribers does not apply to classic queues.
 */
async function refusingSubscribers(management: Management): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    for (const name of await management.queuesBehind(EVENTS_EXCHANGE)) {
      const queue = OWN.has(name) ? undefined : await management.queue(name);
      const object = `queue ${name} of a subscriber`;
      if (queue && hasNoMember(queue)) findings.push({ object, state: 'offline', detail: offlineBecause() });
      else if (queue && REFUSING.has(overflowOf(queue)))
        findings.push({ object, state: 'different', detail: SUBSCRIBER_ADVICE });
    }
  } catch (error) {
    if (!(error instanceof ManagementUnavailable)) throw error;
    findings.push({ object: 'queues of subscribers', state: 'unknown', detail: error.message });
  }
  return findings;
}

/** The argument of the queue takes precedence for classic queues, the policy for others (measured on RabbitMQ 3.10.8). */
function overflowOf({ type, arguments: own, effective_policy_definition: policy = {} }: QueueState): unknown {
  const [first, second] = type === 'classic' ? [own, policy] : [policy, own];
  return first['x-overflow'] ?? first['overflow'] ?? second['x-overflow'] ?? second['overflow'];
}

/** Returns the finding for an object that RabbitMQ refused to check or to change, although it may exist. */
const refused = (object: string, { code, reason }: ChannelError): Finding => ({
  object,
  state: 'refused',
  detail: code === ACCESS_REFUSED ? `${reason}: ${GRANT_ADVICE}` : reason,
});

/** Returns the result of `find`, or `otherwise` with the reason before its detail if the management API is unavailable. */
async function foundOr(otherwise: Finding, find: () => Promise<Finding>): Promise<Finding> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ManagementUnavailable)) throw error;
    return { ...otherwise, detail: [error.message, otherwise.detail ?? []].flat().join('\n') };
  }
}

type Settings = Readonly<Record<string, unknown>>;

/** Returns the differences, except that in the part `except` of the definition. */
function differencesOfPolicy(policy: PolicyObject, stored: StoredPolicy, except?: string): string[] {
  const { pattern, priority, definition } = policy;
  const { definition: found, ...around } = stored;
  const wanted = { ...around, pattern, priority, 'apply-to': 'queues', ...definition };
  return differencesOf(wanted, { ...around, ...found }, except);
}

function differencesOf(wanted: Settings, found: Settings, except?: string): string[] {
  return [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    .filter((name) => name !== except && wanted[name] !== found[name])
    .map((name) => `${name} is ${textOf(found[name])}, expected ${textOf(wanted[name])}`);
}

const textOf = (value: unknown) => (value === undefined ? 'not set' : JSON.stringify(value));

/** Quotes a text for the shell. */
const quoted = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
