import { NestFactory } from '@nestjs/core';
import { UnusableDatabase } from '@keyfold/event-store/mongo';
import { expect, it, vi } from 'vitest';
import { freshDatabaseUri } from '../../../../test/support/mongo/mongo-database.js';
import { Health, Metrics, createLog } from '@keyfold/process';
import { MongoStoreModule } from './mongo-store.module.js';

it('the readiness names each step of the startup', async () => {
  const health = new Health();
  const steps = vi.spyOn(health, 'setPending');
  const context = {
    health,
    log: createLog('silent', false),
    onTerminal: false,
    metrics: new Metrics(),
    stopping: new AbortController().signal,
  };
  const store = MongoStoreModule.forRoot(freshDatabaseUri(), context);
  const start = NestFactory.createApplicationContext(store, { logger: false, abortOnError: false });
  await expect(start).rejects.toThrow(UnusableDatabase);
  const schemaStep = 'checking the schema of the database';
  expect(steps.mock.calls).toEqual([
    ['store', 'connecting to MongoDB'],
    ['store', schemaStep],
  ]);
  expect(await health.readiness()).toMatchObject({ checks: { process: 'is starting', store: schemaStep } });
});
