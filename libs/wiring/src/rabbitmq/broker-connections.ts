import type { OnApplicationShutdown } from '@nestjs/common';
import type { BrokerConnection } from '@keyfold/messaging/rabbitmq';

/**
 * The connections of a process to RabbitMQ. They come back by themselves, and may be down at any time. They close after the modules that
 * import theirs have ended.
 */
export class BrokerConnections implements OnApplicationShutdown {
  constructor(
    /** Only publishes: a broker without memory stops it, and with it whatever else went over it. */
    readonly publisher: BrokerConnection,
    /** Consumes, settles, and looks at the topology. */
    readonly consumer: BrokerConnection,
    /** Host and port, for logs: never user and password. */
    readonly host: string,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.publisher.close(), this.consumer.close()]);
  }
}
