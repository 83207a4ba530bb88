import { DomainError } from '@keyfold/domain';
import { isRetryable } from '@keyfold/event-store';
import { exitCodeOf, explain, FAILED, INTERRUPTED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import type { OperatorPorts } from './commands/operator-ports.js';
import { refusalText } from './commands/refusal-text.js';
import { isOperatorCommand, operatorCommands } from './operator-commands.js';
import type { OperatorOutput } from './output/operator-output.js';
import type { SocketRequest } from './socket/operator-socket.js';

/** Runs operator commands on the given ports. */
export class OperatorCommandRunner {
  constructor(private readonly ports: OperatorPorts) {}

  /** Runs a request. It may come from another version of `keyfold`, so its name and arguments are validated. */
  async run({ command, args }: SocketRequest, output: OperatorOutput, signal: AbortSignal): Promise<ExitCode> {
    const run = isOperatorCommand(command) ? operatorCommands[command].prepare(args) : undefined;
    if (!run) {
      await output.err(`this version of keyfold does not support the command "${command}" with these arguments`);
      return WRONG_USAGE;
    }
    try {
      return await run({ ports: this.ports, output, signal });
    } catch (error) {
      if (signal.aborted) return INTERRUPTED;
      if (error instanceof DomainError) {
        await output.err(`${refusalText(error)}. Nothing was changed`);
        return FAILED;
      }
      await output.err(isRetryable(error) ? `${error.message}. Try again later` : explain(error));
      return exitCodeOf(error);
    }
  }
}
