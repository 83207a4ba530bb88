import { COMMANDS_EXCHANGE, RPC_EXCHANGE } from '../../consuming.js';
import { EVENTS_EXCHANGE } from '../../publishing.js';

/** Durable. */
export type ExchangeObject = Readonly<{ name: string; type: 'topic' }>;

/** Durable. Never change its arguments: RabbitMQ accepts different ones only for a new queue. */
export type QueueObject = Readonly<{ name: string; arguments: Readonly<Record<string, string | number>> }>;

/** Routes messages with a matching routing key from the exchange to the queue. */
export type BindingObject = Readonly<{ exchange: string; queue: string; routingKey: string }>;

/**
 * Settings for all queues whose name matches a pattern. At most one policy and one operator policy apply to a queue, those with the highest
 * priority. If both set a limit, the smaller one applies. Once released, a policy is replaced by one with another name and a higher
 * priority: a changed one would stop a rollback (docs/decisions/0153).
 */
export type PolicyObject = Readonly<{
  name: string;
  kind: 'policy' | 'operator policy';
  pattern: string;
  priority: number;
  definition: Readonly<Record<string, string | number>>;
  /** The part of the definition that follows a setting. If only this part differs, it is changed. */
  setting?: string;
}>;

/** Retains public events for late subscribers. */
export const EVENT_LOG = 'keyfold.events.log';
/** Holds commands of other services until they are done. */
export const COMMAND_QUEUE = 'keyfold.commands.q';
/** Holds commands between two attempts. */
export const COMMAND_RETRY_QUEUE = 'keyfold.commands.retry';
/** Holds commands that failed for good until an operator decides. */
export const PARKED_COMMANDS = 'keyfold.commands.parked';
/** Holds questions, which are answered at once or not at all. */
export const RPC_QUEUE = 'keyfold.rpc';

/** Milliseconds between two attempts at a command. */
const COMMAND_RETRY_DELAY = 10_000;
/** Number of deliveries that fail without a settlement before the broker itself parks a command. */
const DELIVERY_LIMIT = 10;
/** Each read by an operator counts as a delivery, and RabbitMQ 4 drops a message after 20 by default. */
const PARKED_DELIVERY_LIMIT = 1_000_000;

/** Dead-letters at least once: a message stays in its queue until the target queue has confirmed it. */
const deadLettersTo = (queue: string) => ({
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': queue,
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
});
const quorum = { 'x-queue-type': 'quorum' };

const EVENT_LOG_POLICY = 'keyfold-event-log-limits';

/** All objects that Keyfold needs in a virtual host. `deploy/rabbitmq/topology.definitions.json` is generated from it. */
export const TOPOLOGY: Readonly<{
  exchanges: readonly ExchangeObject[];
  queues: readonly QueueObject[];
  bindings: readonly BindingObject[];
  policies: readonly PolicyObject[];
}> = {
  exchanges: [
    { name: EVENTS_EXCHANGE, type: 'topic' },
    { name: COMMANDS_EXCHANGE, type: 'topic' },
    { name: RPC_EXCHANGE, type: 'topic' },
  ],
  queues: [
    // Retention deletes whole segments.
    { name: EVENT_LOG, arguments: { 'x-queue-type': 'stream', 'x-stream-max-segment-size-bytes': 100_000_000 } },
    // Listed before the queues that dead-letter to it.
    { name: PARKED_COMMANDS, arguments: { ...quorum, 'x-delivery-limit': PARKED_DELIVERY_LIMIT } },
    {
      name: COMMAND_QUEUE,
      arguments: { ...quorum, 'x-delivery-limit': DELIVERY_LIMIT, ...deadLettersTo(PARKED_COMMANDS) },
    },
    {
      name: COMMAND_RETRY_QUEUE,
      arguments: { ...quorum, 'x-message-ttl': COMMAND_RETRY_DELAY, ...deadLettersTo(COMMAND_QUEUE) },
    },
    // Requesters wait only a few seconds, so late questions are dropped on purpose.
    {
      name: RPC_QUEUE,
      arguments: {
        'x-queue-type': 'classic',
        'x-message-ttl': 10_000,
        'x-max-length': 5_000,
        'x-overflow': 'reject-publish',
      },
    },
  ],
  bindings: [
    { exchange: EVENTS_EXCHANGE, queue: EVENT_LOG, routingKey: '#' },
    { exchange: COMMANDS_EXCHANGE, queue: COMMAND_QUEUE, routingKey: '#' },
    { exchange: RPC_EXCHANGE, queue: RPC_QUEUE, routingKey: '#' },
  ],
  policies: [
    // About 28 million events at 700 bytes. Takes precedence over `keyfold-event-log` of version 0.2, which has priority 1.
    {
      name: EVENT_LOG_POLICY,
      kind: 'policy',
      pattern: '^keyfold\\.events\\.log$',
      priority: 2,
      definition: { 'max-age': '90D', 'max-length-bytes': 20_000_000_000 },
    },
    // A service may send any number of commands that cannot succeed.
    {
      name: 'keyfold-parked',
      kind: 'policy',
      pattern: '^keyfold\\.commands\\.parked$',
      priority: 1,
      definition: { 'max-length': 100_000, 'max-length-bytes': 1_000_000_000 },
    },
    // The broker confirms an event once every matching queue has it, so one full queue that rejects messages would block the events of all
    // subscribers. This policy also overrides `reject-publish` of a quorum queue, but not of a classic one; see `refusingSubscribers`.
    {
      name: 'keyfold-subscribers',
      kind: 'policy',
      pattern: '^(?!keyfold\\.)',
      priority: 1,
      definition: { overflow: 'drop-head' },
    },
    // A subscriber that never comes back must not fill the broker, which would then block all publishers.
    {
      name: 'keyfold-subscriber-limits',
      kind: 'operator policy',
      pattern: '^(?!keyfold\\.)',
      priority: 1,
      definition: { 'max-length': 1_000_000, 'max-length-bytes': 1_000_000_000 },
    },
  ],
};

/** Returns the policies, with the number of days for which the log of events keeps an event. */
export const policiesWith = (eventLogDays: number | undefined): readonly PolicyObject[] =>
  TOPOLOGY.policies.map((policy) => {
    if (policy.name !== EVENT_LOG_POLICY || eventLogDays === undefined) return policy;
    return { ...policy, definition: { ...policy.definition, 'max-age': `${eventLogDays}D` }, setting: 'max-age' };
  });
