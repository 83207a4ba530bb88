import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandRunner, noSecurityLog, InMemoryStreamQueue, SecurityLog, StreamQueue } from '@keyfold/application';
import { CommitFeed, EventStore, FeedLeases } from '@keyfold/event-store';
import { ReadModelStore } from '@keyfold/projections';
import { expect, it } from 'vitest';
import { EventSourcingModule } from './event-sourcing.module.js';

@Module({})
class StoreModule {}

@Module({})
class AppModule {}

it('is visible to every module, and ends before the store, although global modules end last', async () => {
  const ended: string[] = [];
  const ending = (name: string): OnApplicationShutdown => ({ onApplicationShutdown: () => void ended.push(name) });
  const ports = [EventStore, ReadModelStore, CommitFeed, FeedLeases].map((provide) => ({ provide, useValue: {} }));
  const store = {
    module: StoreModule,
    providers: [...ports, { provide: 'store', useValue: ending('store') }],
    exports: ports,
  };
  const services = [
    { provide: SecurityLog, useValue: noSecurityLog },
    { provide: StreamQueue, useClass: InMemoryStreamQueue },
    { provide: 'service', useValue: ending('service') },
  ];
  const app = await NestFactory.createApplicationContext(
    {
      module: AppModule,
      imports: [store, EventSourcingModule.forRoot([store], services)],
      providers: [{ provide: 'runner', inject: [CommandRunner], useFactory: (runner: CommandRunner) => runner }],
    },
    { logger: false },
  );
  expect(app.get('runner')).toBeInstanceOf(CommandRunner);
  await app.close();
  expect(ended).toEqual(['service', 'store']);
});
