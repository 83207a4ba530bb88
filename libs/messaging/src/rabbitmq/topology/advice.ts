import type { PolicyObject } from './topology.js';

/** What an operator can do about a queue that is there with other settings; RabbitMQ changes none of them. */
export const queueAdvice = (queue: string, vhost: string) =>
  `RabbitMQ cannot change this. To make it anew: stop what writes to it, empty it, run\n` +
  `rabbitmqctl delete_queue ${queue} -p ${quoted(vhost)}\n` +
  `and then keyfold topology apply. Messages that are still in it are lost.`;

export const exchangeAdvice = (exchange: string) =>
  `RabbitMQ cannot change this. To make it anew: delete the exchange ${exchange} in the management user interface and\n` +
  `run keyfold topology apply. Every subscriber has to bind its queues again.`;

/** The command that sets a policy as it should be. */
export function policyCommand(policy: PolicyObject, vhost: string): string {
  const command = policy.kind === 'policy' ? 'set_policy' : 'set_operator_policy';
  const text = [policy.name, policy.pattern, JSON.stringify(policy.definition)].map(quoted).join(' ');
  return `rabbitmqctl ${command} -p ${quoted(vhost)} --priority ${policy.priority} --apply-to queues ${text}`;
}

/** For a shell. */
const quoted = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
