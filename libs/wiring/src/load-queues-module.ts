import type { DynamicModule } from '@nestjs/common';
import type { BrokerModuleSettings, BrokerOptions } from './rabbitmq/broker-options.js';

/** Loads the RabbitMQ driver, which only a process with a broker needs, and returns `QueuesModule.forRoot`. */
export async function loadQueuesModule(
  settings: BrokerModuleSettings,
  options?: BrokerOptions,
): Promise<DynamicModule> {
  const { QueuesModule } = await import('./rabbitmq/queues.module.js');
  return QueuesModule.forRoot(settings, options);
}
