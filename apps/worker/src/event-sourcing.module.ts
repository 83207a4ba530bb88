import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { InMemoryStreamQueue, LookUpSshKeysHandler, RecordSshKeyUseHandler, StreamQueue } from '@keyfold/application';
import { securityLogProvider } from '@keyfold/process';
import { eventSourcingExports, eventSourcingProviders } from '@keyfold/wiring';

/** Provides `eventSourcingProviders` and the handlers of messages in a process without a gateway, which otherwise provides them. */
@Module({})
export class EventSourcingModule {
  /** `store` provides `EventStore` and `ReadModelStore`. */
  static forRoot(store: DynamicModule): DynamicModule {
    return {
      module: EventSourcingModule,
      imports: [store, CqrsModule.forRoot()],
      providers: [
        securityLogProvider,
        { provide: StreamQueue, useClass: InMemoryStreamQueue },
        ...eventSourcingProviders,
        LookUpSshKeysHandler,
        RecordSshKeyUseHandler,
      ],
      exports: eventSourcingExports,
    };
  }
}
