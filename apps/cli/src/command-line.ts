import { Command, CommanderError } from 'commander';
import { addAccountAppPasswordsCommand } from './account-app-passwords.commands.js';
import { addAccountTokensCommand } from './account-tokens.commands.js';
import { addAccountCommands } from './account.commands.js';
import { addAccountHistoryCommands } from './account-history.commands.js';
import type { OperatorRequest } from '@keyfold/operator';
import type { Actions } from './actions.js';
import { addFeedCommands } from './feed.commands.js';
import { addProjectionCommands } from './projection.commands.js';
import { addQueueCommands } from './queue.commands.js';
import { addSecretsCommands } from './secrets.commands.js';
import { addSettingsCommands } from './settings.commands.js';
import { addStoreCommands } from './store.commands.js';
import { addTopologyCommands } from './topology.commands.js';

const OVERVIEW = `
Commands use the store of the settings. KEYFOLD_STORE is sqlite or mongodb. It defaults to mongodb if KEYFOLD_MONGODB_URI is set, and
otherwise to sqlite in KEYFOLD_DATA_DIR (./data). Each setting can also come from the file that <setting>_FILE names.

You can run every command beside running processes. Only one process can open the embedded store (sqlite). If a service has it open, the
command runs inside that service, which accepts it on a socket in the data folder. Otherwise the command opens the store itself, and a
service cannot start until the command ends.

The commands "topology" and "queue" use only RabbitMQ. See their help.

Exit status: 0 success, 1 problem found or command failed, 2 invalid usage, 78 invalid settings, 130 interrupted.`;

/** Runs a command line, given without the program name. Returns the exit status. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let status = 0;
  /** Loads the code of the commands only when one runs, so that help appears at once. */
  const load = () => import('./execute-command.js');
  const actions: Actions = {
    onStore: async (command, args) => {
      status = await (await load()).executeStoreCommand({ command, args } as OperatorRequest);
    },
    setPassword: async (username, file) => {
      status = await (await load()).executeSetPassword(username, file);
    },
    createAccount: async (account, file) => {
      status = await (await load()).executeCreateAccount(account, file);
    },
    deleteAccount: async (username, isConfirmed) => {
      status = await (await load()).executeDeleteAccount(username, isConfirmed);
    },
    setSetting: async (args, file) => {
      status = await (await load()).executeSetSetting(args, file);
    },
    importSettings: async (args, file) => {
      status = await (await load()).executeImport(args, file);
    },
    exportSettings: async (args, file) => {
      status = await (await load()).executeExport(args, file);
    },
    onBroker: async (request) => {
      status = await (await load()).executeBrokerCommand(request);
    },
    replay: async (selection, queue) => {
      status = await (await load()).executeReplay(selection, queue);
    },
  };
  try {
    await commandLine(actions).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has already printed the error or the help.
    if (error.exitCode === 0) return status;
    const { WRONG_USAGE } = await load();
    return WRONG_USAGE;
  }
  return status;
}

/** Returns the commands and their help; `docs/reference/commands.md` is generated from it. */
export function commandLine(actions: Actions): Command {
  const program = new Command('keyfold')
    .description('Administers the account service Keyfold.')
    .addHelpText('after', OVERVIEW)
    .showHelpAfterError('(run the command with --help for details)')
    .exitOverride();
  addStoreCommands(program, actions);
  addAccountCommands(program, actions);
  addAccountHistoryCommands(program, actions);
  addAccountTokensCommand(program, actions);
  addAccountAppPasswordsCommand(program, actions);
  addSettingsCommands(program, actions);
  addSecretsCommands(program, actions);
  addProjectionCommands(program, actions);
  addFeedCommands(program, actions);
  addTopologyCommands(program, actions);
  addQueueCommands(program, actions);
  return program;
}
