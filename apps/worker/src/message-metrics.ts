import type { Relay } from '@keyfold/messaging';
import type { ConsumedQueues, Sample } from '@keyfold/operation';

/** What the relay of this process counts; `now` in unix milliseconds. */
export async function relaySamples(relay: Relay, now: number): Promise<Sample[]> {
  const { published, refused, retried, slots, brokerReady, parked, oldestUnsentAt } = relay.status();
  const oldest = oldestUnsentAt === undefined ? 0 : Math.max(0, now - oldestUnsentAt) / 1_000;
  return [
    { name: 'keyfold_relay_published_total', value: published },
    { name: 'keyfold_relay_refused_total', value: refused },
    { name: 'keyfold_relay_retried_total', value: retried },
    { name: 'keyfold_relay_slots', value: slots },
    { name: 'keyfold_relay_ready', value: brokerReady ? 1 : 0 },
    { name: 'keyfold_relay_parked_accounts', value: parked },
    { name: 'keyfold_relay_oldest_unsent_seconds', value: oldest },
    ...(await pendingSample(relay)),
  ];
}

/** Asks the store, and tells nothing while that is away. */
async function pendingSample(relay: Relay): Promise<Sample[]> {
  try {
    return [{ name: 'keyfold_relay_pending_commits', value: await relay.pending() }];
  } catch {
    return [];
  }
}

/** What the consumer of one queue counts. */
export function queueSamples(status: ReturnType<ConsumedQueues['status']>[number]): Sample[] {
  const { queue, state, inFlight, redelivered, outcomes } = status;
  return [
    { name: 'keyfold_consumer_consuming', labels: { queue }, value: state === 'consuming' ? 1 : 0 },
    { name: 'keyfold_consumer_in_flight', labels: { queue }, value: inFlight },
    { name: 'keyfold_consumer_redelivered_total', labels: { queue }, value: redelivered },
    ...Object.entries(outcomes).map(([outcome, value]): Sample => {
      return { name: 'keyfold_consumer_messages_total', labels: { queue, outcome }, value };
    }),
  ];
}
