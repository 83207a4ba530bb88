import { Module, type DynamicModule, type INestApplication } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { CommitFeed, reasonOf, type FeedLeases } from '@keyfold/event-store';
import { EventPublisher, MessageTraces, ParkedAccounts, Relay, RELAY_LEASES } from '@keyfold/messaging';
import { messagesOf } from '@keyfold/messaging/events';
import type { Health, Metrics } from '@keyfold/process';
import { BrokerCheck, BrokerConnections, ConsumedQueues, TopologyWatch } from '@keyfold/wiring';
import { connectionSamples, parkedSamples, queueSamples, relayLagSamples, relaySamples } from './message-metrics.js';
import { RelayRunner } from './relay.runner.js';
import { SshKeyLookUpController } from './ssh-key-look-up.controller.js';
import { SshKeyUseController } from './ssh-key-use.controller.js';
import type { WorkerConfig } from './worker.config.js';

@Module({})
export class MessagesModule {
  /**
   * Publishes events, and handles commands and questions of other services. `ports` provide the store, the handlers,
   * `EventPublisher` and `ConsumedQueues`.
   */
  static forRoot(ports: readonly DynamicModule[], config: WorkerConfig): DynamicModule {
    return {
      module: MessagesModule,
      imports: [...ports],
      controllers: [SshKeyUseController, SshKeyLookUpController],
      providers: [
        {
          provide: Relay,
          inject: [CommitFeed, EventPublisher, RELAY_LEASES, ParkedAccounts, { token: MessageTraces, optional: true }],
          useFactory: (
            feed: CommitFeed,
            publisher: EventPublisher,
            leases: FeedLeases,
            parked: ParkedAccounts,
            traces?: MessageTraces,
          ) =>
            new Relay(feed, publisher, leases, parked, messagesOf, {
              ...config,
              traces,
              onError: RelayRunner.reportError,
              onParked: RelayRunner.reportParked,
            }),
        },
        { provide: RelayRunner, inject: [Relay], useFactory: (relay: Relay) => new RelayRunner(relay) },
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
    app.get(RelayRunner, { strict: false }).start();
    void app.startAllMicroservices();
  });
}

/** Adds the readiness checks of broker, consumers and relay, for a process whose only work are messages. */
export function requireMessages(app: INestApplication, health: Health): void {
  const [broker, queues] = [app.get(BrokerCheck, { strict: false }), app.get(ConsumedQueues, { strict: false })];
  const relay = app.get(RelayRunner, { strict: false });
  health.add('rabbitmq', () => broker.run());
  health.add('consumers', () => queues.check());
  health.add('relay', () => relay.check());
}

/** Returns why the relay is not publishing, based on the readiness checks of a worker; undefined if it is. */
export function relayProblem(parts: ModuleRef): string | undefined {
  try {
    parts.get(BrokerCheck, { strict: false }).run();
    parts.get(RelayRunner, { strict: false }).check();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Adds the metrics of relay, consumers and broker connections. */
export function measureMessages(app: INestApplication, metrics: Metrics): void {
  const relay = app.get(Relay, { strict: false });
  const queues = app.get(ConsumedQueues, { strict: false });
  const connections = app.get(BrokerConnections, { strict: false });
  metrics.add(() => relaySamples(relay));
  metrics.add(() => relayLagSamples(relay, Date.now()));
  metrics.add(() => connectionSamples(connections));
  metrics.add(() => parkedSamples(queues));
  metrics.add(() => queues.status().flatMap(queueSamples));
}
