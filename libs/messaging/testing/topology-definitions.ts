import { TOPOLOGY, type PolicyObject } from '../src/rabbitmq/topology/topology.js';

/** Converts the topology to the format of `deploy/rabbitmq/topology.definitions.json`, which RabbitMQ can import. */
export function topologyDefinitions(vhost: string): Readonly<Record<string, readonly object[]>> {
  const policies = (kind: PolicyObject['kind']) => TOPOLOGY.policies.filter((policy) => policy.kind === kind);
  const common = { vhost, durable: true, auto_delete: false };
  return {
    exchanges: TOPOLOGY.exchanges.map(({ name, type }) => ({
      name,
      ...common,
      type,
      internal: false,
      arguments: {},
    })),
    queues: TOPOLOGY.queues.map((queue) => ({ name: queue.name, ...common, arguments: queue.arguments })),
    bindings: TOPOLOGY.bindings.map(({ exchange, queue, routingKey }) => ({
      source: exchange,
      vhost,
      destination: queue,
      destination_type: 'queue',
      routing_key: routingKey,
      arguments: {},
    })),
    policies: policies('policy').map((policy) => ({ vhost, name: policy.name, ...valueOf(policy) })),
    // RabbitMQ stores and exports operator policies as parameters.
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
