import { NestFactory } from '@nestjs/core';
import { UnusableDatabase } from '@keyfold/event-store/mongo';
import { expect, it, vi } from 'vitest';
import { freshDatabaseUri } from '../../../../test/support/mongo/mongo-database.js';
import { Health, Metrics, createLog } from '@keyfold/process';
import { MongoStoreModule } from './mongo-store.module.js';

it('the readiness names each step of the start', async () => {
  const health = new Health();
  const steps = vi.spyOn(health, 'waitsFor');
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
  const compared = 'the database is being compared with what this version needs';
  expect(steps.mock.calls).toEqual([
    ['store', 'MongoDB is being connected'],
    ['store', compared],
  ]);
  expect(await health.readiness()).toMatchObject({ checks: { process: 'is starting', store: compared } });
});
