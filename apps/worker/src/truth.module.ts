import { Module, type DynamicModule } from '@nestjs/common';
import { Clock, SystemClock } from '@keyfold/application';
import { EventStore } from '@keyfold/event-store';
import { Projection, ReadModelStore, StreamLoader } from '@keyfold/projections';

/** What brings documents up to their streams, where no gateway in the process has it already. */
@Module({})
export class ProjectionModule {
  /** `store` provides `EventStore` and `ReadModelStore`. */
  static forRoot(store: DynamicModule): DynamicModule {
    return {
      module: ProjectionModule,
      imports: [store],
      providers: [
        { provide: Clock, useClass: SystemClock },
        {
          provide: Projection,
          inject: [EventStore, ReadModelStore, Clock],
          useFactory: (events: EventStore, readModels: ReadModelStore, clock: Clock) =>
            new Projection(new StreamLoader(events, readModels), readModels, () => clock.now()),
        },
      ],
      exports: [Projection],
    };
  }
}
