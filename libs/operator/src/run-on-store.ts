import type { ExitCode } from '@keyfold/process';
import type { OperatorStore } from './create-operator-ports.js';
import { OperatorCommandRunner } from './operator-command.runner.js';
import type { OperatorRequest } from './operator-commands.js';
import type { OperatorOutput } from './output/operator-output.js';

/** Runs a request on a store and closes the store. */
export async function runOnStore(
  { ports, close }: OperatorStore,
  request: OperatorRequest,
  output: OperatorOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  try {
    return await new OperatorCommandRunner(ports).run(request, output, signal);
  } finally {
    await close();
  }
}
