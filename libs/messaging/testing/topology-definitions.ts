import { TOPOLOGY, type PolicyObject } from '../src/rabbitmq/topology/topology.js';

/** The topology as the file deploy/rabbitmq/topology.definitions.json has it, which RabbitMQ imports at its start (`load_definitions`) or later. */
export function topologyDefinitions(vhost: string, topology = TOPOLOGY): Readonly<Record<string, readonly object[]>> {
  const policies = (kind: PolicyObject['kind']) => topology.policies.filter((policy) => policy.kind === kind);
  const lasting = { vhost, durable: true, auto_delete: false };
  return {
    exchanges: topology.exchanges.map(({ name, type }) => ({
      name,
      ...lasting,
      type,
      internal: false,
      arguments: {},
    })),
    queues: topology.queues.map((queue) => ({ name: queue.name, ...lasting, arguments: queue.arguments })),
    bindings: topology.bindings.map(({ exchange, queue, routingKey }) => ({
      source: exchange,
      vhost,
      destination: queue,
      destination_type: 'queue',
      routing_key: routingKey,
      arguments: {},
    })),
    policies: policies('policy').map((policy) => ({ vhost, name: policy.name, ...valueOf(policy) })),
    // This is how RabbitMQ itself stores and exports operator policies.
    parameters: policies('operator policy').map((policy) => ({
      vhost,
      component: 'operator_policy',
      name: policy.name,
      value: valueOf(policy),
    })),
  };
}

const valueOf = ({ pattern, priority, definition }: PolicyObject) => ({
  pattern,
  'apply-to': 'queues',
  priority,
  definition,
});
