import type { PolicyObject } from './topology.js';

/** Returns how to recreate a queue that exists with other arguments, which RabbitMQ cannot change. */
export const queueAdvice = (queue: string, vhost: string) =>
  `RabbitMQ cannot change an existing queue. To recreate it, stop its publishers, empty it, and run\n` +
  `rabbitmqctl delete_queue ${queue} -p ${quoted(vhost)}\n` +
  `and then keyfold topology apply. Messages left in the queue are lost.`;

/** Returns how to recreate an exchange that exists with another type. */
export const exchangeAdvice = (exchange: string) =>
  `RabbitMQ cannot change an existing exchange. To recreate it, delete ${exchange} in the management UI and\n` +
  `run keyfold topology apply. Every subscriber must then bind its queues again.`;

/** Returns the `rabbitmqctl` command that sets a policy. */
export function policyCommand(policy: PolicyObject, vhost: string): string {
  const command = policy.kind === 'policy' ? 'set_policy' : 'set_operator_policy';
  const text = [policy.name, policy.pattern, JSON.stringify(policy.definition)].map(quoted).join(' ');
  return `rabbitmqctl ${command} -p ${quoted(vhost)} --priority ${policy.priority} --apply-to queues ${text}`;
}

/** Quotes a text for the shell. */
const quoted = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
