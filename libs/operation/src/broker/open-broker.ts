import type { DynamicModule } from '@nestjs/common';
import type { OperatorOutput } from '../operator/operator-request.js';
import type { ExitCode } from '../process/exit-code.js';
import type { BrokerModuleSettings, BrokerOptions } from './broker-options.js';
import type { QueueRequest } from './queue-command.js';

/** Only a process that has a broker loads the driver. */

/** See `BrokerModule.forRoot`. */
export async function broker(settings: BrokerModuleSettings, options?: BrokerOptions): Promise<DynamicModule> {
  const { BrokerModule } = await import('./broker.module.js');
  return BrokerModule.forRoot(settings, options);
}

/** What an operator wants of RabbitMQ alone. */
export type BrokerRequest =
  Readonly<{ subject: 'topology'; command: 'apply' | 'diff' }> | (Readonly<{ subject: 'queue' }> & QueueRequest);

/** See `runTopologyCommand` and `runQueueCommand`. */
export async function brokerCommand(
  request: BrokerRequest,
  settings: BrokerModuleSettings,
  output: OperatorOutput,
): Promise<ExitCode> {
  if (request.subject === 'topology') {
    const { runTopologyCommand } = await import('./topology-command.js');
    return runTopologyCommand(request.command, settings, output);
  }
  const { runQueueCommand } = await import('./queue-command.js');
  return runQueueCommand(settings.KEYFOLD_RABBITMQ_URL, request, output);
}
