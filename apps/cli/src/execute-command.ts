import { runBrokerCommand, type BrokerRequest, type OperatorRequest, type ReplayFilterArgs } from '@keyfold/operator';
import { DONE, INTERRUPTED, WRONG_USAGE } from '@keyfold/process';
import { readCliBrokerSettings } from './cli.settings.js';
import { isTyped, readPassword } from './text-input.js';
import { runInterruptibly, runOnConfiguredStore, sealingKeysFor } from './run-on-configured-store.js';
import { terminal } from './terminal.js';

export { WRONG_USAGE } from '@keyfold/process';
export { executeExport, executeImport, executeSetSetting } from './execute-settings-command.js';

/** Runs a request on the configured store. Reports failures and returns the exit status. */
export const executeStoreCommand = (request: OperatorRequest) =>
  runInterruptibly((signal) => runOnConfiguredStore(request, signal));

/** Sends events of the store to a queue, or only counts them without one. Reports failures and returns the exit status. */
export const executeReplay = (selection: ReplayFilterArgs, queue: string | undefined) =>
  runInterruptibly((signal) => {
    // A running process also sends to the broker of this command's settings, not to its own.
    const url = queue === undefined ? '' : readCliBrokerSettings(process.env).KEYFOLD_RABBITMQ_URL;
    const target = queue === undefined ? undefined : { url, queue };
    return runOnConfiguredStore({ command: 'feed replay', args: { ...selection, target } }, signal);
  });

/** Sets a password from a file, the terminal or standard input. Reports failures and returns the exit status. */
export const executeSetPassword = (username: string, file: string | undefined) =>
  runInterruptibly(async (signal) => {
    const request = (password: string) => ({ command: 'account set-password', args: { username, password } }) as const;
    // Report invalid settings and names before the password prompt.
    sealingKeysFor(request(''));
    if (isTyped(file)) {
      const exitCode = await runOnConfiguredStore({ command: 'account exists', args: { username } }, signal);
      if (exitCode !== DONE) return exitCode;
    }
    const input = await readPassword(username, file, signal);
    if ('problem' in input) {
      await terminal.err(`keyfold: ${input.problem}. Nothing was changed`);
      return WRONG_USAGE;
    }
    return runOnConfiguredStore(request(input.text), signal);
  });

/** Runs a command on RabbitMQ, which needs no store. Reports failures and returns the exit status. */
export const executeBrokerCommand = (request: BrokerRequest) =>
  runInterruptibly((signal) => {
    // These commands can be interrupted at any point and repeated.
    signal.addEventListener('abort', () => process.exit(INTERRUPTED));
    return runBrokerCommand(request, readCliBrokerSettings(process.env), terminal);
  });
