import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { GatewayModule } from '@keyfold/gateway';
import { WorkerModule, type WorkerConfig } from '@keyfold/worker';

@Module({})
export class StandaloneModule {
  /** The gateway and the worker in one process; the worker uses the gateway's projection and so its cache. `providers` get what both have. */
  static forRoot(
    ports: readonly DynamicModule[],
    gatewayConfig: Parameters<typeof GatewayModule.forRoot>[1],
    workerConfig: WorkerConfig,
    providers: Provider[],
  ): DynamicModule {
    const gateway = GatewayModule.forRoot(ports, gatewayConfig);
    const imports = [...ports, gateway];
    return {
      module: StandaloneModule,
      imports: [...imports, WorkerModule.forRoot(imports, workerConfig)],
      providers,
    };
  }
}
