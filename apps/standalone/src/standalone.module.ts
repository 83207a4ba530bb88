import { Module, type DynamicModule } from '@nestjs/common';
import { EventStore } from '@keyfold/event-store';
import { GatewayModule } from '@keyfold/gateway';
import { CheckpointStore, Projection, Projector } from '@keyfold/projections';
import { ProjectorRunner } from './projector.runner.js';

@Module({})
export class StandaloneModule {
  /** The gateway and the projector in one process, on the adapters that `ports` provides. */
  static forRoot(ports: DynamicModule): DynamicModule {
    return {
      module: StandaloneModule,
      imports: [ports, GatewayModule.forRoot(ports)],
      providers: [
        {
          provide: ProjectorRunner,
          inject: [EventStore, Projection, CheckpointStore],
          useFactory: (store: EventStore, projection: Projection, checkpoints: CheckpointStore) =>
            new ProjectorRunner(
              new Projector(store, projection, checkpoints, (error) =>
                ProjectorRunner.log.error(`cannot project, trying again: ${String(error)}`),
              ),
            ),
        },
      ],
    };
  }
}
