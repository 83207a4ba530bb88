import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  brokerSettings,
  mongoSettings,
  mongoStore,
  mongoStoreOnly,
  NestLog,
  processSettings,
  projectorSettings,
  readSettings,
  runProcess,
  StoreCheck,
  type Environment,
} from '@keyfold/operation';
import { z } from 'zod';
import { TruthModule } from './truth.module.js';
import { openMessages, ProjectorRunner, WorkerModule } from './worker.module.js';

const settings = z.object({
  ...processSettings,
  ...mongoStoreOnly,
  ...mongoSettings,
  ...projectorSettings,
  ...brokerSettings,
});

/** What follows the feed and talks to other services, on a store that it shares with gateways and other workers. */
export const startWorker = () =>
  runProcess(
    (environment: Environment) => readSettings(settings, environment),
    async (config, context) => {
      const { health, log, metrics } = context;
      const store = await mongoStore(config.KEYFOLD_MONGODB_URI, context);
      const messages = await openMessages(config, log);
      const module = WorkerModule.forRoot(
        [store, TruthModule.forRoot(store)],
        { leaseMilliseconds: config.KEYFOLD_LEASE_SECONDS * 1_000 },
        messages,
      );
      // It never listens: Nest connects transports to applications of HTTP alone.
      const app = await NestFactory.create(module, new FastifyAdapter(), {
        logger: new NestLog(log),
        abortOnError: false,
      });
      await app.init();
      const runner = app.get(ProjectorRunner);
      health.add('store', () => app.get(StoreCheck, { strict: false }).run());
      health.add('projector', () => runner.check());
      messages?.require(app, health);
      messages?.measure(app, metrics);
      runner.start();
      messages?.start(app);
      log.info('ready');
      return app;
    },
  );
