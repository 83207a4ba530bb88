import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { WorkerModule, type OptionalWork, type WorkerConfig } from '@keyfold/worker';

@Module({})
export class StandaloneModule {
  /**
   * Combines the gateway and the worker in one process. The worker uses the gateway's providers and so shares its cache. `providers` can
   * inject those of both.
   */
  static forRoot(
    ports: readonly DynamicModule[],
    gateway: DynamicModule,
    config: WorkerConfig,
    providers: Provider[],
    optional: readonly OptionalWork[],
  ): DynamicModule {
    const imports = [...ports, gateway];
    return {
      module: StandaloneModule,
      imports: [...imports, WorkerModule.forRoot(imports, config, optional)],
      providers,
    };
  }
}
