import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { GatewayModule } from '@keyfold/gateway';
import { WorkerModule, type Messages, type WorkerConfig } from '@keyfold/worker';

@Module({})
export class StandaloneModule {
  /**
   * The gateway and the worker in one process; the worker uses what the gateway has, and so its cache. `providers` get what both have;
   * `messages` are there when the process has a broker.
   */
  static forRoot(
    ports: readonly DynamicModule[],
    gatewayConfig: Parameters<typeof GatewayModule.forRoot>[1],
    workerConfig: WorkerConfig,
    providers: Provider[],
    messages?: Messages,
  ): DynamicModule {
    const gateway = GatewayModule.forRoot(ports, gatewayConfig);
    const imports = [...ports, gateway];
    return {
      module: StandaloneModule,
      imports: [...imports, WorkerModule.forRoot(imports, workerConfig, messages)],
      providers,
    };
  }
}
