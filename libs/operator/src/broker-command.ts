import type { ExitCode } from '@keyfold/process';
import type { BrokerModuleSettings } from '@keyfold/wiring';
import type { OperatorOutput } from './output/operator-output.js';
import type { QueueRequest } from './rabbitmq/queue-command.js';

/** What an operator wants of RabbitMQ alone. */
export type BrokerRequest =
  Readonly<{ subject: 'topology'; command: 'apply' | 'diff' }> | (Readonly<{ subject: 'queue' }> & QueueRequest);

/** See `runTopologyCommand` and `runQueueCommand`. Only a command that needs RabbitMQ loads the driver. */
export async function brokerCommand(
  request: BrokerRequest,
  settings: BrokerModuleSettings,
  output: OperatorOutput,
): Promise<ExitCode> {
  if (request.subject === 'topology') {
    const { runTopologyCommand } = await import('./rabbitmq/topology-command.js');
    return runTopologyCommand(request.command, settings, output);
  }
  const { runQueueCommand } = await import('./rabbitmq/queue-command.js');
  return runQueueCommand(settings.KEYFOLD_RABBITMQ_URL, request, output);
}
