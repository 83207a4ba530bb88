import type { OnApplicationShutdown } from '@nestjs/common';
import type { BrokerConnection, ParkedCommands, QueueStatus, QueueTransport } from '@keyfold/messaging/rabbitmq';

/** The transports of the queues that a process consumes; the app connects them to its handlers. */
export class ConsumedQueues implements OnApplicationShutdown {
  constructor(
    readonly transports: readonly QueueTransport[],
    /** Answers questions and nothing else. */
    private readonly answers: BrokerConnection,
    /** Where commands lie that nobody could carry out. */
    readonly parked: ParkedCommands,
  ) {}

  status(): readonly QueueStatus[] {
    return this.transports.map((transport) => transport.queueStatus());
  }

  /** For readiness: throws what is missing. */
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
