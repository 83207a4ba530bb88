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
import {
  BrokerCheck,
  BrokerConnections,
  ConsumedQueues,
  type BrokerModuleSettings,
  type BrokerOptions,
} from './broker.js';
import { BrokerModule } from './broker.module.js';
import { TopologyWatch } from './topology-watch.js';

/** Maximum number of messages in flight. */
const COMMANDS_IN_FLIGHT = 20;
const QUESTIONS_IN_FLIGHT = 10;

const log = new Logger('Queue');

/** Closes before its connection. */
class ClosingPublisher extends RabbitMqPublisher implements OnApplicationShutdown {
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}

@Module({})
export class QueuesModule {
  /** Provides `EventPublisher`, `ConsumedQueues`, `BrokerCheck` and everything that `BrokerModule` provides. */
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
            new ClosingPublisher(publisher, {
              exchange: EVENTS_EXCHANGE,
              appId: serviceAppId,
              onProblem: (problem) => {
                log.warn(`cannot publish events, retrying: ${problem}`);
                topology.recheck();
              },
            }),
        },
        BrokerCheck,
        {
          provide: ConsumedQueues,
          inject: [BrokerConnections, { token: MessageTraces, optional: true }],
          useFactory: (connections: BrokerConnections, traces?: MessageTraces) =>
            consumedQueues(connections, settings.KEYFOLD_RABBITMQ_URL, traces),
        },
      ],
      exports: [EventPublisher, ConsumedQueues, BrokerCheck, broker],
    };
  }
}

async function consumedQueues(
  { publisher, consumer }: BrokerConnections,
  url: string,
  traces: MessageTraces | undefined,
): Promise<ConsumedQueues> {
  // It has its own connection, which logs nothing: an outage also hits the others, and any client can make it fail.
  const answers = await BrokerConnection.open(url, { role: 'publisher' });
  const copies = new MessageCopies(publisher, (problem) => log.warn(`cannot move a command, retrying: ${problem}`));
  const retrying = new RetryProcessor(copies, {
    retryQueue: COMMAND_RETRY_QUEUE,
    parkedQueue: PARKED_COMMANDS,
    onFailure: (fields, error) =>
      log.warn({ ...fields, ...(error !== undefined && { err: error }) }, `a command was ${fields.outcome}`),
  });
  const replying = new ReplyProcessor(new ReplyChannel(answers), {
    onIgnored: (problem) => log.warn(`${problem}. Further occurrences are not logged`),
    onFailure: (fields, error) => {
      if (error !== undefined) log.error({ ...fields, err: error }, 'cannot answer a question');
    },
  });
  const commands = { queue: COMMAND_QUEUE, transportId: COMMANDS, prefetch: COMMANDS_IN_FLIGHT, traces };
  const questions = { queue: RPC_QUEUE, transportId: QUESTIONS, prefetch: QUESTIONS_IN_FLIGHT, traces };
  return new ConsumedQueues(
    [new QueueTransport(consumer, retrying, commands), new QueueTransport(consumer, replying, questions)],
    answers,
    new ParkedCommands(consumer),
  );
}
