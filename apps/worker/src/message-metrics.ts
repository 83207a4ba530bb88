import type { MessageOutlet, Relay } from '@keyfold/messaging';
import type { Sample } from '@keyfold/process';
import type { BrokerConnections, ConsumedQueues } from '@keyfold/wiring';

type QueueStatus = ReturnType<ConsumedQueues['status']>[number];

/** Exported for every queue from the start, so that the first parked command counts as an increase. */
const OUTCOMES = [
  'done',
  'retried',
  'parked',
  'answered',
  'refused',
  'ignored',
  'given-back',
] as const satisfies readonly (keyof QueueStatus['outcomes'])[];

export function relaySamples(relay: Relay, outlet: MessageOutlet): Sample[] {
  const { published, refused, retried, confirms, pages, isReady, publisher } = outlet;
  const { slots, parked } = relay.status();
  return [
    { name: 'keyfold_relay_published_total', value: published },
    { name: 'keyfold_relay_refused_total', value: refused },
    { name: 'keyfold_relay_retried_total', value: retried },
    { name: 'keyfold_relay_confirm_duration_seconds', value: confirms },
    { name: 'keyfold_relay_page_messages', value: pages },
    { name: 'keyfold_relay_unconfirmed_seconds', value: publisher.stall?.seconds ?? 0 },
    { name: 'keyfold_relay_slots', value: slots },
    { name: 'keyfold_relay_ready', value: isReady ? 1 : 0 },
    { name: 'keyfold_relay_parked_accounts', value: parked },
  ];
}

/** Returns the lag of the slots that this process holds. `now` is in Unix milliseconds. Rejects if the store is unavailable. */
export async function relayLagSamples(relay: Relay, now: number): Promise<Sample[]> {
  const { pendingCommits, oldestPendingAt = now } = await relay.lag();
  return [
    { name: 'keyfold_relay_pending_commits', value: pendingCommits },
    { name: 'keyfold_relay_oldest_unsent_seconds', value: Math.max(0, now - oldestPendingAt) / 1_000 },
  ];
}

/** Returns which connections are up. A blocked connection counts as up. */
export const connectionSamples = ({ publisher, consumer }: BrokerConnections): Sample[] =>
  Object.entries({ publisher, consumer }).map(([role, { state }]) => {
    return { name: 'keyfold_broker_connected', labels: { role }, value: state === 'disconnected' ? 0 : 1 };
  });

/** Returns the number of parked commands. Rejects if the broker is unavailable. */
export const parkedSamples = async ({ parked }: ConsumedQueues): Promise<Sample[]> => [
  { name: 'keyfold_parked_messages', labels: { queue: parked.queue }, value: await parked.count() },
];

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
