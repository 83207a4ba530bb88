import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { truth, truthProviders } from '@keyfold/wiring';

/** Provides reading and writing of the event store, for a process in which no gateway provides it. */
@Module({})
export class TruthModule {
  /** `store` provides `EventStore` and `ReadModelStore`. */
  static forRoot(store: DynamicModule): DynamicModule {
    return {
      module: TruthModule,
      imports: [store, CqrsModule.forRoot()],
      providers: truthProviders,
      exports: truth,
    };
  }
}
