import { runBrokerCommand, type BrokerRequest, type OperatorRequest, type ReplayFilterArgs } from '@keyfold/operator';
import { INTERRUPTED } from '@keyfold/process';
import { readCliBrokerSettings } from './cli.settings.js';
import { runInterruptibly, runOnConfiguredStore } from './run-on-configured-store.js';
import { terminal } from './terminal.js';

export { WRONG_USAGE } from '@keyfold/process';
export { executeCreateAccount, executeDeleteAccount, executeSetPassword } from './execute-account-command.js';
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

/** Runs a command on RabbitMQ, which needs no store. Reports failures and returns the exit status. */
export const executeBrokerCommand = (request: BrokerRequest) =>
  runInterruptibly((signal) => {
    // These commands can be interrupted at any point and repeated.
    signal.addEventListener('abort', () => process.exit(INTERRUPTED));
    return runBrokerCommand(request, readCliBrokerSettings(process.env), terminal);
  });
