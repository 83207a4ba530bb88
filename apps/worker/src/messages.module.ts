import { Logger, Module, type DynamicModule, type INestApplication } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { reasonOf } from '@keyfold/reporting';
import { EventPublisher, MessageOutlet, MessageTraces, Relay } from '@keyfold/messaging';
import { messagesOf } from '@keyfold/messaging/events';
import type { Health, Metrics } from '@keyfold/process';
import {
  BrokerCheck,
  BrokerConnections,
  ConsumedQueues,
  STORE_ADAPTERS,
  TopologyWatch,
  type StoreAdapters,
} from '@keyfold/wiring';
import { connectionSamples, parkedSamples, queueSamples, relayLagSamples, relaySamples } from './message-metrics.js';
import { RelayRunner } from './relay-runner.js';
import { SshKeyMessagesController } from './ssh-key-messages.controller.js';

const log = new Logger('Relay');

/** Runs the relay of messages. */
class MessageRunner extends RelayRunner<MessageOutlet> {
  /** Readiness check: throws if the relay is not publishing, and returns why other workers publish for this one. */
  check(): string | undefined {
    const { problem, slots, members } = this.relay.status();
    if (!this.isStarted) throw new Error('waiting for RabbitMQ');
    if (problem !== undefined) throw new Error(`cannot publish: ${problem}`);
    if (this.problem !== undefined) throw new Error(this.problem);
    const reason = this.outlet.publisher.stall?.reason;
    return reason && slots === 0 && members.length > 1 ? `${reason}. Other workers have its slots` : reason;
  }
}

@Module({})
export class MessagesModule {
  /**
   * Publishes events, and handles commands and questions of other services. `ports` provide the store, the handlers,
   * `EventPublisher` and `ConsumedQueues`.
   */
  static forRoot(ports: readonly DynamicModule[], leaseMilliseconds: number): DynamicModule {
    return {
      module: MessagesModule,
      imports: [...ports],
      controllers: [SshKeyMessagesController],
      providers: [
        {
          provide: MessageRunner,
          inject: [STORE_ADAPTERS, EventPublisher, { token: MessageTraces, optional: true }],
          useFactory: (stores: StoreAdapters, publisher: EventPublisher, traces?: MessageTraces) => {
            const outlet = new MessageOutlet(publisher, messagesOf, { traces });
            const relay = new Relay(stores.feed, outlet, stores.relayLeases, stores.parkedRelays, {
              leaseMilliseconds,
              onError: (error) => log.error(`cannot publish, retrying: ${reasonOf(error)}`),
              onParked: ({ partition, position, error }) =>
                log.error(
                  { partition, position, error },
                  'an account is parked because one of its events cannot be sent',
                ),
            });
            return new MessageRunner(relay, outlet);
          },
        },
      ],
    };
  }
}

/**
 * Starts to publish and consume as soon as RabbitMQ is connected and its topology is complete. Nest closes the transports with the app, so
 * handlers finish before their dependencies shut down.
 */
export function startMessages(app: INestApplication): void {
  const queues = app.get(ConsumedQueues, { strict: false });
  for (const strategy of queues.transports) app.connectMicroservice({ strategy });
  app.get(TopologyWatch, { strict: false }).onTopologyReady(() => {
    app.get(MessageRunner, { strict: false }).start();
    void app.startAllMicroservices();
  });
}

/** Adds the readiness checks of broker, consumers and relay, for a process whose only work are messages. */
export function requireMessages(app: INestApplication, health: Health): void {
  const [broker, queues] = [app.get(BrokerCheck, { strict: false }), app.get(ConsumedQueues, { strict: false })];
  const relay = app.get(MessageRunner, { strict: false });
  health.add('rabbitmq', () => broker.run());
  health.add('consumers', () => queues.check());
  health.add('relay', () => relay.check());
}

/** Returns why the relay is not publishing, based on the problems and warnings of a worker's readiness; undefined if it is. */
export function relayProblem(parts: ModuleRef): string | undefined {
  try {
    const warning = parts.get(BrokerCheck, { strict: false }).run();
    return warning ?? parts.get(MessageRunner, { strict: false }).check();
  } catch (error) {
    return reasonOf(error);
  }
}

/** Adds the metrics of relay, consumers and broker connections. */
export function measureMessages(app: INestApplication, metrics: Metrics): void {
  const { relay, outlet } = app.get(MessageRunner, { strict: false });
  const queues = app.get(ConsumedQueues, { strict: false });
  const connections = app.get(BrokerConnections, { strict: false });
  metrics.add(() => relaySamples(relay, outlet));
  metrics.add(() => relayLagSamples(relay, Date.now()));
  metrics.add(() => connectionSamples(connections));
  metrics.add(() => parkedSamples(queues));
  metrics.add(() => queues.status().flatMap(queueSamples));
}
