import { Module, type DynamicModule } from '@nestjs/common';
import { EventStore, FeedLeases } from '@keyfold/event-store';
import { Projection, Projector } from '@keyfold/projections';
import type { Messages } from './open-messages.js';
import { ProjectorRunner } from './projector.runner.js';
import type { WorkerConfig } from './worker.config.js';

@Module({})
export class WorkerModule {
  /**
   * What follows the feed, and with `messages` what talks to other services. `ports` are the modules that provide the adapters of the
   * store, and what reads and changes the truth.
   */
  static forRoot(ports: readonly DynamicModule[], config: WorkerConfig, messages?: Messages): DynamicModule {
    return {
      module: WorkerModule,
      imports: [...ports, ...(messages ? [messages.moduleFor(ports, config)] : [])],
      providers: [
        {
          provide: Projector,
          inject: [EventStore, Projection, FeedLeases],
          useFactory: (store: EventStore, projection: Projection, leases: FeedLeases) =>
            new Projector(store, projection, leases, ProjectorRunner.tell, config),
        },
        {
          provide: ProjectorRunner,
          inject: [Projector],
          useFactory: (projector: Projector) => new ProjectorRunner(projector),
        },
      ],
      exports: [ProjectorRunner],
    };
  }
}

export { openMessages, type Messages } from './open-messages.js';
export { ProjectorRunner } from './projector.runner.js';
export type { WorkerConfig } from './worker.config.js';
