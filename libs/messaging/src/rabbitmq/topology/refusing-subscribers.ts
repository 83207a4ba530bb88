import { EVENTS_EXCHANGE } from '../../exchanges.js';
import type { Finding } from './finding.js';
import { ManagementUnavailable, type Management, type QueueState } from './management.js';
import { TOPOLOGY } from './topology.js';

const REFUSING = new Set<unknown>(['reject-publish', 'reject-publish-dlx']);
const OWN = new Set(TOPOLOGY.queues.map(({ name }) => name));

/**
 * Finds the queues of subscribers that reject messages when full. The broker confirms an event once every matching queue has it, so one
 * such queue blocks the events of all subscribers. The policy for subscribers does not apply to classic queues.
 */
export async function refusingSubscribers(management: Management): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    for (const name of await management.queuesBehind(EVENTS_EXCHANGE)) {
      const queue = OWN.has(name) ? undefined : await management.queue(name);
      if (!queue || !REFUSING.has(overflowOf(queue))) continue;
      findings.push({ object: `queue ${name} of a subscriber`, state: 'different', detail: ADVICE });
    }
  } catch (error) {
    if (!(error instanceof ManagementUnavailable)) throw error;
    findings.push({ object: 'queues of subscribers', state: 'unknown', detail: error.message });
  }
  return findings;
}

const ADVICE =
  `A full queue with reject-publish blocks the events of all subscribers. Have its owner recreate it\n` +
  `without the argument x-overflow, or as a quorum queue, to which the policy keyfold-subscribers applies.`;

/** The argument of the queue takes precedence for classic queues, the policy for others (measured on RabbitMQ 3.10.8). */
function overflowOf({ type, arguments: own, effective_policy_definition: policy = {} }: QueueState): unknown {
  const [first, second] = type === 'classic' ? [own, policy] : [policy, own];
  return first['x-overflow'] ?? first['overflow'] ?? second['x-overflow'] ?? second['overflow'];
}
