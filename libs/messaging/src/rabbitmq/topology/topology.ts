import { COMMANDS_EXCHANGE, EVENTS_EXCHANGE, RPC_EXCHANGE } from '../../exchanges.js';

/** An exchange, durable like everything here. */
export type ExchangeObject = Readonly<{ name: string; type: 'topic' }>;

/** A durable queue. Its arguments never change: RabbitMQ takes others only for a queue that is made anew. */
export type QueueObject = Readonly<{ name: string; arguments: Readonly<Record<string, string | number>> }>;

/** What is published to the exchange with a fitting routing key goes to the queue. */
export type BindingObject = Readonly<{ exchange: string; queue: string; routingKey: string }>;

/**
 * Settings that a broker lays over all queues whose names fit. One policy and one operator policy at most are in force on a queue, those
 * of the highest priority; of the numbers of both the smaller one counts.
 */
export type PolicyObject = Readonly<{
  name: string;
  kind: 'policy' | 'operator policy';
  pattern: string;
  priority: number;
  definition: Readonly<Record<string, string | number>>;
}>;

/** Everything that Keyfold needs in a virtual host. */
export type Topology = Readonly<{
  exchanges: readonly ExchangeObject[];
  queues: readonly QueueObject[];
  bindings: readonly BindingObject[];
  policies: readonly PolicyObject[];
}>;

/** Every public event that is retained, for subscribers that come late. */
export const EVENT_LOG = 'keyfold.events.log';
/** Commands of other services, until they are carried out. */
export const COMMAND_QUEUE = 'keyfold.commands.q';
/** Commands wait here between two attempts. */
export const COMMAND_RETRY_QUEUE = 'keyfold.commands.retry';
/** Commands that no attempt carries out, until an operator decides. */
export const PARKED_COMMANDS = 'keyfold.commands.parked';
/** Questions that are answered at once or not at all. */
export const RPC_QUEUE = 'keyfold.rpc';

/** Milliseconds between two attempts at a command. */
const COMMAND_RETRY_DELAY = 10_000;
/** Attempts that ended without an answer, after which the broker itself parks a command. */
const DELIVERY_LIMIT = 10;
/** Each look of an operator counts as a delivery, and RabbitMQ 4 drops a message after 20 when nothing else is said. */
const LOOKS_LIMIT = 1_000_000;

/** Three arguments that belong together: a dead letter stays where it is until its new queue has confirmed it. */
const movesSafelyTo = (queue: string) => ({
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': queue,
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
});
const quorum = { 'x-queue-type': 'quorum' };

export const TOPOLOGY: Topology = {
  exchanges: [
    { name: EVENTS_EXCHANGE, type: 'topic' },
    { name: COMMANDS_EXCHANGE, type: 'topic' },
    { name: RPC_EXCHANGE, type: 'topic' },
  ],
  queues: [
    // Retention takes away whole segments.
    { name: EVENT_LOG, arguments: { 'x-queue-type': 'stream', 'x-stream-max-segment-size-bytes': 100_000_000 } },
    // Before those whose dead letters it takes.
    { name: PARKED_COMMANDS, arguments: { ...quorum, 'x-delivery-limit': LOOKS_LIMIT } },
    {
      name: COMMAND_QUEUE,
      arguments: { ...quorum, 'x-delivery-limit': DELIVERY_LIMIT, ...movesSafelyTo(PARKED_COMMANDS) },
    },
    {
      name: COMMAND_RETRY_QUEUE,
      arguments: { ...quorum, 'x-message-ttl': COMMAND_RETRY_DELAY, ...movesSafelyTo(COMMAND_QUEUE) },
    },
    // Whoever asks waits for seconds only, so a question is lost on purpose when it is late.
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
    // About 28 million events at 700 bytes.
    {
      name: 'keyfold-event-log',
      kind: 'policy',
      pattern: '^keyfold\\.events\\.log$',
      priority: 1,
      definition: { 'max-age': '5Y', 'max-length-bytes': 20_000_000_000 },
    },
    // An event is confirmed once every queue that wants it has it: one full queue that refuses would stop the events of everybody.
    // It is in force on a quorum queue that was declared with reject-publish, too: the oldest messages make room. A classic queue keeps
    // what it was declared with; see `refusingSubscribers`.
    {
      name: 'keyfold-subscribers',
      kind: 'policy',
      pattern: '^(?!keyfold\\.)',
      priority: 1,
      definition: { overflow: 'drop-head' },
    },
    // A subscriber that is away for ever must not fill the broker, which would then block everybody.
    {
      name: 'keyfold-subscriber-limits',
      kind: 'operator policy',
      pattern: '^(?!keyfold\\.)',
      priority: 1,
      definition: { 'max-length': 1_000_000, 'max-length-bytes': 1_000_000_000 },
    },
  ],
};
