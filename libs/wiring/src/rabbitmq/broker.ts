import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { EventPublisher } from '@keyfold/messaging';
import type { BrokerConnection, ParkedCommands, QueueStatus, QueueTransport } from '@keyfold/messaging/rabbitmq';
import type { BrokerSettings } from '@keyfold/process';
import { TopologyWatch } from './topology-watch.js';

// Loaded by every process, also without a broker, so nothing here loads the driver.

/** The settings of a process with a broker. */
export type BrokerModuleSettings = BrokerSettings & Readonly<{ KEYFOLD_RABBITMQ_URL: string }>;

export type BrokerOptions = Readonly<{
  /** Creates missing parts of the topology instead of waiting for an operator. */
  applyTopology?: boolean;
}>;

/**
 * The connections of a process to RabbitMQ. They may be down at any time and reconnect by themselves. They close after the modules that
 * use them.
 */
export class BrokerConnections implements OnApplicationShutdown {
  constructor(
    /** Only publishes, because a broker with a memory alarm blocks everything on such a connection. */
    readonly publisher: BrokerConnection,
    /** Consumes, settles and checks the topology. */
    readonly consumer: BrokerConnection,
    /** Host and port for logs, without credentials. */
    readonly host: string,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.publisher.close(), this.consumer.close()]);
  }
}

/** Checks for readiness whether events can be published and commands consumed. */
@Injectable()
export class BrokerCheck {
  constructor(
    private readonly connections: BrokerConnections,
    private readonly topology: TopologyWatch,
    private readonly events: EventPublisher,
  ) {}

  /**
   * Throws the problem. A blocked broker (memory or disk alarm), or one that confirms no events, is only a warning, because restarting a
   * worker would not help.
   */
  run(): string | undefined {
    const { publisher, consumer, host } = this.connections;
    for (const { state, reason } of [publisher, consumer]) {
      if (state === 'disconnected') throw new Error(`RabbitMQ at ${host} is unavailable${reason ? `: ${reason}` : ''}`);
    }
    if (this.topology.missing.length > 0) throw new Error(this.topology.missing.join('; '));
    if (!this.topology.isComplete) throw new Error(`the topology of RabbitMQ at ${host} is not checked yet`);
    const blocked = [publisher, consumer].find(({ state }) => state === 'blocked');
    if (blocked) return `RabbitMQ at ${host} accepts no messages${blocked.reason ? `: ${blocked.reason}` : ''}`;
    return this.events.stall?.reason;
  }
}

/** The transports of the consumed queues, which the app connects to its handlers. */
export class ConsumedQueues implements OnApplicationShutdown {
  constructor(
    readonly transports: readonly QueueTransport[],
    /** Used only to answer questions. */
    private readonly answers: BrokerConnection,
    readonly parked: ParkedCommands,
  ) {}

  status(): readonly QueueStatus[] {
    return this.transports.map((transport) => transport.queueStatus());
  }

  /** Checks for readiness that every queue is consumed. Throws the problems otherwise. */
  check(): void {
    const idle = this.status().filter(({ state }) => state !== 'consuming');
    if (idle.length === 0) return;
    throw new Error(
      idle.map(({ queue, problem }) => `${queue} is not consumed${problem ? `: ${problem}` : ''}`).join('; '),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.answers.close();
  }
}
