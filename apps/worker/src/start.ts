import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { InMemoryStreamQueue, SshKeysModule, StreamQueue } from '@keyfold/application';
import { EventStore } from '@keyfold/event-store';
import {
  brokerSettings,
  measureProcess,
  mongoSettings,
  mongoStoreOnly,
  NestLog,
  processSettings,
  projectorSettings,
  readSettings,
  retentionSettings,
  runProcess,
  securityLogProvider,
  tracingModules,
  type Environment,
} from '@keyfold/process';
import { appendSamples, EventSourcingModule, loadMongoStoreModule, StoreCheck } from '@keyfold/wiring';
import { z } from 'zod';
import { measureProjector, openMessages, PeriodicWork, ProjectorRunner, WorkerModule } from './worker.module.js';

const settings = z.object({
  ...processSettings,
  ...mongoStoreOnly,
  ...mongoSettings,
  ...projectorSettings,
  ...retentionSettings,
  ...brokerSettings,
});

/** Starts a worker: projector, retention, expiry of SSH keys, relay and consumers, on a store shared with gateways and other workers. */
export const startWorker = () =>
  runProcess(
    (environment: Environment) => readSettings(settings, environment),
    async (config, context) => {
      measureProcess('worker', context);
      const { health, log, metrics, tracing } = context;
      const ports = [
        ...tracingModules(tracing, 'mongodb'),
        await loadMongoStoreModule(config.KEYFOLD_MONGODB_URI, context),
      ];
      const services = [securityLogProvider, { provide: StreamQueue, useClass: InMemoryStreamQueue }];
      const messages = await openMessages(config, log);
      const module = WorkerModule.forRoot(
        [EventSourcingModule.forRoot(ports, services), { module: SshKeysModule }, ...ports],
        { leaseMilliseconds: config.KEYFOLD_LEASE_SECONDS * 1_000, sessionDays: config.KEYFOLD_SESSION_DAYS },
        messages,
      );
      // The app never listens, but Nest connects transports only to an HTTP application.
      const app = await NestFactory.create(module, new FastifyAdapter(), {
        logger: new NestLog(log),
        abortOnError: false,
      });
      await app.init();
      const runner = app.get(ProjectorRunner);
      health.add('store', () => app.get(StoreCheck, { strict: false }).run());
      health.add('projector', () => runner.check());
      messages?.require(app, health);
      const { appends } = app.get(EventStore, { strict: false });
      metrics.add(() => appendSamples(appends));
      measureProjector(app, metrics);
      messages?.measure(app, metrics);
      runner.start();
      app.get(PeriodicWork).start();
      messages?.start(app);
      return app;
    },
  );
