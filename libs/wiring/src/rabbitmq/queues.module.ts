import { Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { COMMANDS, EventPublisher, MessageTraces, QUESTIONS } from '@keyfold/messaging';
import {
  BrokerConnection,
  COMMAND_QUEUE,
  COMMAND_RETRY_QUEUE,
  EVENTS_EXCHANGE,
  MessageCopies,
  PARKED_COMMANDS,
  ParkedCommands,
  QueueTransport,
  RabbitMqPublisher,
  ReplyChannel,
  ReplyProcessor,
  RetryProcessor,
  RPC_QUEUE,
} from '@keyfold/messaging/rabbitmq';
import { serviceAppId } from '@keyfold/process';
import { BrokerConnections } from './broker-connections.js';
import type { BrokerModuleSettings, BrokerOptions } from './broker-options.js';
import { BrokerModule } from './broker.module.js';
import { ConsumedQueues } from './consumed-queues.js';
import { TopologyWatch } from './topology-watch.js';

/** Messages that are handled at a time. */
const COMMANDS_AT_A_TIME = 20;
const QUESTIONS_AT_A_TIME = 10;

const log = new Logger('Queue');

/** Ends before the connection that it publishes over. */
class PublisherEnd implements OnApplicationShutdown {
  constructor(private readonly publisher: RabbitMqPublisher) {}

  onApplicationShutdown(): Promise<void> {
    return this.publisher.close();
  }
}

@Module({})
export class QueuesModule {
  /** Provides `EventPublisher` and `ConsumedQueues`, and what `BrokerModule` does. */
  static forRoot(settings: BrokerModuleSettings, options?: BrokerOptions): DynamicModule {
    const broker = BrokerModule.forRoot(settings, options);
    return {
      module: QueuesModule,
      imports: [broker],
      providers: [
        {
          provide: EventPublisher,
          inject: [BrokerConnections, TopologyWatch],
          useFactory: ({ publisher }: BrokerConnections, topology: TopologyWatch) =>
            new RabbitMqPublisher(publisher, {
              exchange: EVENTS_EXCHANGE,
              appId: serviceAppId,
              onProblem: (problem) => {
                log.warn(`events wait: ${problem}`);
                topology.lookAgain();
              },
            }),
        },
        {
          provide: PublisherEnd,
          inject: [EventPublisher],
          useFactory: (publisher: RabbitMqPublisher) => new PublisherEnd(publisher),
        },
        {
          provide: ConsumedQueues,
          inject: [BrokerConnections, { token: MessageTraces, optional: true }],
          useFactory: (connections: BrokerConnections, traces?: MessageTraces) =>
            consumedQueues(connections, settings.KEYFOLD_RABBITMQ_URL, traces),
        },
      ],
      exports: [EventPublisher, ConsumedQueues, broker],
    };
  }
}

async function consumedQueues(
  { publisher, consumer }: BrokerConnections,
  url: string,
  traces: MessageTraces | undefined,
): Promise<ConsumedQueues> {
  // Its own, and silent: what happens to it happens to the others as well, or is the doing of a stranger.
  const answers = await BrokerConnection.open(url, { role: 'publisher' });
  const copies = new MessageCopies(publisher, (problem) => log.warn(`a command waits: ${problem}`));
  const retrying = new RetryProcessor(copies, {
    retryQueue: COMMAND_RETRY_QUEUE,
    parkedQueue: PARKED_COMMANDS,
    onFailure: (told, error) =>
      log.warn({ ...told, ...(error !== undefined && { err: error }) }, `a command was ${told.outcome}`),
  });
  const replying = new ReplyProcessor(new ReplyChannel(answers), {
    onIgnored: (problem) => log.warn(`${problem}; it is told once`),
    onFailure: (told, error) => {
      if (error !== undefined) log.error({ ...told, err: error }, 'a question could not be answered');
    },
  });
  const commands = { queue: COMMAND_QUEUE, transportId: COMMANDS, prefetch: COMMANDS_AT_A_TIME, traces };
  const questions = { queue: RPC_QUEUE, transportId: QUESTIONS, prefetch: QUESTIONS_AT_A_TIME, traces };
  return new ConsumedQueues(
    [new QueueTransport(consumer, retrying, commands), new QueueTransport(consumer, replying, questions)],
    answers,
    new ParkedCommands(consumer),
  );
}
