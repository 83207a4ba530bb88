import type { DynamicModule } from '@nestjs/common';
import type { BrokerModuleSettings, BrokerOptions } from './rabbitmq/broker-options.js';

/** Only a process that has a broker loads the driver. */

/** See `BrokerModule.forRoot`. */
export async function broker(settings: BrokerModuleSettings, options?: BrokerOptions): Promise<DynamicModule> {
  const { BrokerModule } = await import('./rabbitmq/broker.module.js');
  return BrokerModule.forRoot(settings, options);
}

/** See `QueuesModule.forRoot`. */
export async function queues(settings: BrokerModuleSettings, options?: BrokerOptions): Promise<DynamicModule> {
  const { QueuesModule } = await import('./rabbitmq/queues.module.js');
  return QueuesModule.forRoot(settings, options);
}
