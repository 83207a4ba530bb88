import { EVENTS_EXCHANGE } from '../../exchanges.js';
import type { Finding } from './finding.js';
import { ManagementUnavailable, type Management, type QueueState } from './management.js';
import { TOPOLOGY } from './topology.js';

const REFUSING = new Set<unknown>(['reject-publish', 'reject-publish-dlx']);
const OWN = new Set(TOPOLOGY.queues.map(({ name }) => name));

/**
 * Queues of subscribers that refuse messages when they are full. An event is confirmed once every queue that wants it has it, so one of
 * them stops the events of everybody; the policy for subscribers does not reach all.
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
  `It refuses messages when it is full (reject-publish), and then no event is confirmed for anybody. Have its owner make it\n` +
  `anew without the argument x-overflow, or as a quorum queue, on which the policy keyfold-subscribers is in force.`;

/** On a classic queue its own argument counts, on the others the policy (measured on RabbitMQ 3.10.8). */
function overflowOf({ type, arguments: own, effective_policy_definition: policy = {} }: QueueState): unknown {
  const [first, second] = type === 'classic' ? [own, policy] : [policy, own];
  return first['x-overflow'] ?? first['overflow'] ?? second['x-overflow'] ?? second['overflow'];
}
