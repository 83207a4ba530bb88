import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { truth, truthProviders } from '@keyfold/wiring';

/** What reads and changes the truth, where no gateway in the process has it already. */
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
