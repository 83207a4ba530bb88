import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { DynamicModule, Provider } from '@nestjs/common';
import { InMemoryStreamQueue, SshKeysModule, StreamQueue } from '@keyfold/application';
import { EventStore } from '@keyfold/event-store';
import {
  brokerSettings,
  InvalidConfiguration,
  measureProcess,
  mongoSettings,
  mongoStoreOnly,
  NestLog,
  openlistOf,
  openlistSettings,
  processSettings,
  projectorSettings,
  readSettings,
  retentionSettings,
  runProcess,
  sealingKeySetting,
  securityLogProvider,
  tracingModules,
  type Environment,
} from '@keyfold/process';
import { parseSealingKeys, Sealer } from '@keyfold/security';
import { appendSamples, EventSourcingModule, loadMongoStoreModule, OpenListModule, StoreCheck } from '@keyfold/wiring';
import { z } from 'zod';
import {
  measureProjector,
  openMessages,
  openMirror,
  PeriodicWork,
  ProjectorRunner,
  WorkerModule,
} from './worker.module.js';

const settings = z.object({
  ...processSettings,
  ...mongoStoreOnly,
  ...mongoSettings,
  ...projectorSettings,
  ...retentionSettings,
  ...brokerSettings,
  ...openlistSettings,
  ...sealingKeySetting,
});

/** Returns the parts that mirrors need in a process without the API. Throws `InvalidConfiguration`. */
function mirrorParts(config: z.infer<typeof settings>): Readonly<{ modules: DynamicModule[]; services: Provider[] }> {
  const openlist = openlistOf(config);
  if (!openlist) return { modules: [], services: [] };
  const { KEYFOLD_SEALING_KEY: keys } = config;
  if (keys === undefined)
    throw new InvalidConfiguration([
      'KEYFOLD_SEALING_KEY: is required with KEYFOLD_OPENLIST_URL, with the same value in every process',
    ]);
  const sealer = { provide: Sealer, useValue: new Sealer(parseSealingKeys(keys)) };
  return { modules: [OpenListModule.forRoot(openlist)], services: [sealer] };
}

/**
 * Starts a worker: projector, retention, expiry of SSH keys, relays and consumers, on a store shared with gateways and other workers.
 */
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
      const parts = mirrorParts(config);
      const services = [
        securityLogProvider,
        { provide: StreamQueue, useClass: InMemoryStreamQueue },
        ...parts.services,
      ];
      const messages = await openMessages(config, log);
      const mirror = await openMirror(config);
      const module = WorkerModule.forRoot(
        [EventSourcingModule.forRoot(ports, services), { module: SshKeysModule }, ...parts.modules, ...ports],
        { leaseMilliseconds: config.KEYFOLD_LEASE_SECONDS * 1_000, sessionDays: config.KEYFOLD_SESSION_DAYS },
        [messages, mirror].filter((work) => work !== undefined),
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
      mirror?.check(app, health);
      const { appends } = app.get(EventStore, { strict: false });
      metrics.add(() => appendSamples(appends));
      measureProjector(app, metrics);
      messages?.measure(app, metrics);
      mirror?.measure(app, metrics);
      runner.start();
      app.get(PeriodicWork).start();
      messages?.start(app);
      mirror?.start(app);
      return app;
    },
  );
