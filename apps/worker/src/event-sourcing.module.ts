import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { eventSourcingExports, eventSourcingProviders } from '@keyfold/wiring';

/** Provides `eventSourcingProviders` in a process without a gateway, which otherwise provides them. */
@Module({})
export class EventSourcingModule {
  /** `store` provides `EventStore` and `ReadModelStore`. */
  static forRoot(store: DynamicModule): DynamicModule {
    return {
      module: EventSourcingModule,
      imports: [store, CqrsModule.forRoot()],
      providers: eventSourcingProviders,
      exports: eventSourcingExports,
    };
  }
}
