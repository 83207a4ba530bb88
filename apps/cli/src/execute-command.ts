import { copyStore, importOpenlist } from '@keyfold/operator';
import {
  brokerCommands,
  directCommands,
  type DirectCommandName,
  type GivenArgs,
  type GivenDirectly,
  type OperatorArgs,
  type OperatorCommandName,
  type OperatorRequest,
} from '@keyfold/operator/commands';
import { INTERRUPTED, type ExitCode } from '@keyfold/process';
import { availableParallelism } from 'node:os';
import { backUp, restore } from './backups.js';
import { readBothStoreSettings, readCliBrokerSettings } from './cli.settings.js';
import {
  adoptUsers,
  createAccount,
  deleteAccount,
  eraseAccount,
  exportAccounts,
  exportSettings,
  importSettings,
  setPassword,
  setSetting,
} from './questions.js';
import { runInterruptibly, runOnConfiguredStore, runWithSession } from './run-on-configured-store.js';
import { terminal } from './terminal.js';

export { WRONG_USAGE } from '@keyfold/process';

type Completion<Name extends OperatorCommandName> = (given: GivenArgs<Name>, signal: AbortSignal) => Promise<ExitCode>;

/** The commands that need more than their words: a secret, a file, a confirmation or settings of this process. */
const completions: { readonly [Name in OperatorCommandName]?: Completion<Name> } = {
  'account set-password': setPassword,
  'account create': createAccount,
  'account delete': deleteAccount,
  'account erase': eraseAccount,
  'settings set': setSetting,
  'settings import': importSettings,
  'settings export': exportSettings,
  'import openlist': importAccounts,
  backup: backUp,
  'export openlist': exportAccounts,
  'openlist adopt': adoptUsers,
  'feed replay': replayFeed,
};

const direct: {
  readonly [Name in DirectCommandName]: (given: GivenDirectly<Name>, signal: AbortSignal) => Promise<ExitCode>;
} = { restore, 'store copy': copyBetweenStores };

/** Runs a command with the values of its command line. Reports failures and returns the exit status. */
export const executeCommand = (name: string, given: Readonly<Record<string, unknown>>): Promise<ExitCode> =>
  runInterruptibly((signal) => {
    if (Object.hasOwn(brokerCommands, name)) return runOnBroker(name as keyof typeof brokerCommands, given, signal);
    if (Object.hasOwn(directCommands, name)) return direct[name as DirectCommandName](given as never, signal);
    const completion = completions[name as OperatorCommandName];
    if (completion) return completion(given as never, signal);
    return runOnConfiguredStore({ command: name, args: given } as OperatorRequest, signal);
  });

/** Reads a database of OpenList and sends its accounts to the store. */
function importAccounts(given: GivenArgs<'import openlist'>, signal: AbortSignal): Promise<ExitCode> {
  // Read when the threads start, of which there are four otherwise. They hash the passwords.
  process.env['UV_THREADPOOL_SIZE'] ??= String(Math.max(4, availableParallelism()));
  return runWithSession(signal, (send) => importOpenlist(given, { send, output: terminal, signal }));
}

/** Sends events of the store to a queue, or only counts them. */
function replayFeed({ queue, dryRun, ...selection }: GivenArgs<'feed replay'>, signal: AbortSignal): Promise<ExitCode> {
  const args: OperatorArgs<'feed replay'> =
    dryRun || queue === undefined
      ? selection
      : // A running process also sends to the broker of this command's settings, not to its own.
        { ...selection, target: { url: readCliBrokerSettings(process.env).KEYFOLD_RABBITMQ_URL, queue } };
  return runOnConfiguredStore({ command: 'feed replay', args }, signal);
}

/** Copies the store, whichever of its kinds is in use. */
function copyBetweenStores(given: GivenDirectly<'store copy'>, signal: AbortSignal): Promise<ExitCode> {
  const settings = readBothStoreSettings(process.env);
  const stores = {
    folder: settings.KEYFOLD_DATA_DIR,
    mongoUri: settings.KEYFOLD_MONGODB_URI,
    sealingKeys: settings.KEYFOLD_SEALING_KEY,
  };
  return copyStore(given, { settings: stores, output: terminal, signal });
}

function runOnBroker(name: keyof typeof brokerCommands, given: object, signal: AbortSignal): Promise<ExitCode> {
  // These commands can be interrupted at any point and repeated.
  signal.addEventListener('abort', () => process.exit(INTERRUPTED));
  const settings = readCliBrokerSettings(process.env);
  return brokerCommands[name].run(given as never, { settings, output: terminal });
}
