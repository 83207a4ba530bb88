import { Module, type DynamicModule } from '@nestjs/common';
import { EventStore, FeedLeases } from '@keyfold/event-store';
import { Projection, Projector } from '@keyfold/projections';
import { ProjectorRunner } from './projector.runner.js';

export type WorkerConfig = Readonly<{
  /** How long a process that fell silent keeps its slots of the feed. */
  leaseMilliseconds: number;
}>;

@Module({})
export class WorkerModule {
  /** What follows the feed. `ports` are the modules that provide `EventStore`, `FeedLeases` and `Projection`. */
  static forRoot(ports: readonly DynamicModule[], config: WorkerConfig): DynamicModule {
    return {
      module: WorkerModule,
      imports: [...ports],
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

export { ProjectorRunner } from './projector.runner.js';
