import type { OnApplicationShutdown } from '@nestjs/common';
import type { BrokerConnection } from '@keyfold/messaging/rabbitmq';

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
