import type { BrokerConnections } from './broker-connections.js';
import type { TopologyWatch } from './topology-watch.js';

/** Checks for readiness whether events can be published and commands consumed. */
export class BrokerCheck {
  constructor(
    private readonly connections: BrokerConnections,
    private readonly topology: TopologyWatch,
  ) {}

  /** Throws the problem. A blocked broker (memory or disk alarm) is only a warning, because restarting a worker would not help. */
  run(): string | undefined {
    const { publisher, consumer, host } = this.connections;
    for (const { state, reason } of [publisher, consumer]) {
      if (state === 'disconnected') throw new Error(`RabbitMQ at ${host} is unavailable${reason ? `: ${reason}` : ''}`);
    }
    if (this.topology.missing.length > 0) throw new Error(this.topology.missing.join('; '));
    if (!this.topology.isComplete) throw new Error(`the topology of RabbitMQ at ${host} is not checked yet`);
    const blocked = [publisher, consumer].find(({ state }) => state === 'blocked');
    return blocked && `RabbitMQ at ${host} accepts no messages${blocked.reason ? `: ${blocked.reason}` : ''}`;
  }
}
