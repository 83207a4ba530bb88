import type { OnApplicationShutdown } from '@nestjs/common';
import type { BrokerConnection, ParkedCommands, QueueStatus, QueueTransport } from '@keyfold/messaging/rabbitmq';

/** The transports of the consumed queues, which the app connects to its handlers. */
export class ConsumedQueues implements OnApplicationShutdown {
  constructor(
    readonly transports: readonly QueueTransport[],
    /** Used only to answer questions. */
    private readonly answers: BrokerConnection,
    /** The parked commands. */
    readonly parked: ParkedCommands,
  ) {}

  /** Returns the status of each queue. */
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
