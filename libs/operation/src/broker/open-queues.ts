import type { DynamicModule } from '@nestjs/common';
import type { BrokerModuleSettings, BrokerOptions } from './broker-options.js';

/** See `QueuesModule.forRoot`. Only a process that has a broker loads the driver. */
export async function queues(settings: BrokerModuleSettings, options?: BrokerOptions): Promise<DynamicModule> {
  const { QueuesModule } = await import('./queues.module.js');
  return QueuesModule.forRoot(settings, options);
}
