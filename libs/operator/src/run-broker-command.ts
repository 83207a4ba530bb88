import type { ExitCode } from '@keyfold/process';
import type { BrokerModuleSettings } from '@keyfold/wiring';
import type { OperatorOutput } from './output/operator-output.js';
import type { QueueRequest } from './rabbitmq/run-queue-command.js';

/** An operator command on RabbitMQ, which needs no store. */
export type BrokerRequest =
  Readonly<{ subject: 'topology'; command: 'apply' | 'diff' }> | (Readonly<{ subject: 'queue' }> & QueueRequest);

/** Loads the RabbitMQ driver and runs a command; see `runTopologyCommand` and `runQueueCommand`. */
export async function runBrokerCommand(
  request: BrokerRequest,
  settings: BrokerModuleSettings,
  output: OperatorOutput,
): Promise<ExitCode> {
  if (request.subject === 'topology') {
    const { runTopologyCommand } = await import('./rabbitmq/run-topology-command.js');
    return runTopologyCommand(request.command, settings, output);
  }
  const { runQueueCommand } = await import('./rabbitmq/run-queue-command.js');
  return runQueueCommand(settings.KEYFOLD_RABBITMQ_URL, request, output);
}
