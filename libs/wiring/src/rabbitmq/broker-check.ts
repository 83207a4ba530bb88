import type { BrokerConnections } from './broker-connections.js';
import type { TopologyWatch } from './topology-watch.js';

/** Whether events can be sent and commands can be taken. For readiness of a process that has nothing else to do, or for its details. */
export class BrokerCheck {
  constructor(
    private readonly connections: BrokerConnections,
    private readonly topology: TopologyWatch,
  ) {}

  /** Throws what is missing. A broker without memory or disk space is a warning: events wait, and no restart of a worker helps. */
  run(): string | undefined {
    const { publisher, consumer, host } = this.connections;
    for (const { state, reason } of [publisher, consumer]) {
      if (state === 'disconnected') throw new Error(`RabbitMQ at ${host} is away${reason ? `: ${reason}` : ''}`);
    }
    if (this.topology.missing.length > 0) throw new Error(this.topology.missing.join('; '));
    if (!this.topology.isComplete) throw new Error(`the topology of RabbitMQ at ${host} was not looked at yet`);
    const blocked = [publisher, consumer].find(({ state }) => state === 'blocked');
    return blocked && `RabbitMQ at ${host} accepts no messages${blocked.reason ? `: ${blocked.reason}` : ''}`;
  }
}
