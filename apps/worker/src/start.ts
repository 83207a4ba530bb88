import { NestFactory } from '@nestjs/core';
import {
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
import { ProjectionModule } from './projection.module.js';
import { ProjectorRunner, WorkerModule } from './worker.module.js';

const settings = z.object({ ...processSettings, ...mongoStoreOnly, ...mongoSettings, ...projectorSettings });

/** What follows the feed, on a store that it shares with gateways and other workers. */
export const startWorker = () =>
  runProcess(
    (environment: Environment) => readSettings(settings, environment),
    async (config, context) => {
      const { health, log } = context;
      const store = await mongoStore(config.KEYFOLD_MONGODB_URI, context);
      const module = WorkerModule.forRoot([store, ProjectionModule.forRoot(store)], {
        leaseMilliseconds: config.KEYFOLD_LEASE_SECONDS * 1_000,
      });
      const app = await NestFactory.createApplicationContext(module, { logger: new NestLog(log), abortOnError: false });
      const runner = app.get(ProjectorRunner);
      health.add('store', () => app.get(StoreCheck, { strict: false }).run());
      health.add('projector', () => runner.check());
      runner.start();
      log.info('ready');
      return app;
    },
  );
