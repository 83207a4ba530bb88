import type { Relay } from '@keyfold/messaging';
import type { Sample } from '@keyfold/process';
import type { BrokerConnections, ConsumedQueues } from '@keyfold/wiring';

type QueueStatus = ReturnType<ConsumedQueues['status']>[number];

/** Told of every queue from the start, so that the first parked command is seen as a change. */
const OUTCOMES = [
  'done',
  'retried',
  'parked',
  'answered',
  'refused',
  'ignored',
  'given-back',
] as const satisfies readonly (keyof QueueStatus['outcomes'])[];

/** What the relay of this process counts. */
export function relaySamples(relay: Relay): Sample[] {
  const { published, refused, retried, confirms, pages, slots, brokerReady, parked } = relay.status();
  return [
    { name: 'keyfold_relay_published_total', value: published },
    { name: 'keyfold_relay_refused_total', value: refused },
    { name: 'keyfold_relay_retried_total', value: retried },
    { name: 'keyfold_relay_confirm_duration_seconds', value: confirms },
    { name: 'keyfold_relay_page_messages', value: pages },
    { name: 'keyfold_relay_slots', value: slots },
    { name: 'keyfold_relay_ready', value: brokerReady ? 1 : 0 },
    { name: 'keyfold_relay_parked_accounts', value: parked },
  ];
}

/** What waits in the slots of this process; `now` in unix milliseconds. It asks the store, and fails while that is away. */
export async function relayLagSamples(relay: Relay, now: number): Promise<Sample[]> {
  const { pendingCommits, oldestPendingAt = now } = await relay.lag();
  return [
    { name: 'keyfold_relay_pending_commits', value: pendingCommits },
    { name: 'keyfold_relay_oldest_unsent_seconds', value: Math.max(0, now - oldestPendingAt) / 1_000 },
  ];
}

/** Which connections there are. One over which the broker takes no messages for now is there. */
export const connectionSamples = ({ publisher, consumer }: BrokerConnections): Sample[] =>
  Object.entries({ publisher, consumer }).map(([role, { state }]) => {
    return { name: 'keyfold_broker_connected', labels: { role }, value: state === 'disconnected' ? 0 : 1 };
  });

/** Asks the broker how many messages wait for an operator, and fails while it is away. */
export const parkedSamples = async ({ parked }: ConsumedQueues): Promise<Sample[]> => [
  { name: 'keyfold_parked_messages', labels: { queue: parked.queue }, value: await parked.count() },
];

/** What the consumer of one queue counts. */
export function queueSamples(status: QueueStatus): Sample[] {
  const { queue, state, inFlight, redelivered, outcomes } = status;
  return [
    { name: 'keyfold_consumer_consuming', labels: { queue }, value: state === 'consuming' ? 1 : 0 },
    { name: 'keyfold_consumer_in_flight', labels: { queue }, value: inFlight },
    { name: 'keyfold_consumer_redelivered_total', labels: { queue }, value: redelivered },
    ...OUTCOMES.map((outcome): Sample => {
      return { name: 'keyfold_consumer_messages_total', labels: { queue, outcome }, value: outcomes[outcome] ?? 0 };
    }),
  ];
}
