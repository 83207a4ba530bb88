import { Command, CommanderError } from 'commander';
import { addAccountCommands } from './account.commands.js';
import type { OperatorRequest } from '@keyfold/operator';
import type { Actions } from './actions.js';
import { addFeedCommands } from './feed.commands.js';
import { addProjectionCommands } from './projection.commands.js';
import { addQueueCommands } from './queue.commands.js';
import { addSecretsCommands } from './secrets.commands.js';
import { addStoreCommands } from './store.commands.js';
import { addTopologyCommands } from './topology.commands.js';

const OVERVIEW = `
The commands work on the store that the settings name: KEYFOLD_STORE is sqlite or mongodb. Without it they take mongodb when
KEYFOLD_MONGODB_URI is set (the standalone process refuses to start then), else sqlite in KEYFOLD_DATA_DIR (./data). Each setting may
also come from the file that <setting>_FILE names.

All of them are safe beside running processes. The embedded store (sqlite) belongs to one process: while that runs, it carries the
command out itself and is asked over a socket in the data folder; when none runs, the command takes the folder for as long as it
needs, and a service that is started meanwhile is refused.

The commands under "topology" and "queue" work on RabbitMQ alone, see there.

Exit status: 0 all is well, 1 a problem was found or the command failed, 2 wrong usage, 78 wrong settings, 130 interrupted.`;

/** Runs a command line without the program's name; answers the exit status. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let status = 0;
  /** Everything that a command needs is loaded only now, so that help is there at once. */
  const operate = () => import('./operate.js');
  const actions: Actions = {
    onStore: async (command, args) => {
      status = await (await operate()).operateStore({ command, args } as OperatorRequest);
    },
    setPassword: async (username, file) => {
      status = await (await operate()).operateSetPassword(username, file);
    },
    onBroker: async (request) => {
      status = await (await operate()).operateBroker(request);
    },
    replay: async (selection, queue) => {
      status = await (await operate()).operateReplay(selection, queue);
    },
  };
  try {
    await commandLine(actions).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // It has said what was wrong, or the help that was asked for.
    if (error.exitCode === 0) return status;
    const { WRONG_USAGE } = await operate();
    return WRONG_USAGE;
  }
  return status;
}

function commandLine(actions: Actions): Command {
  const program = new Command('keyfold')
    .description('Looks after the store of the account service Keyfold.')
    .addHelpText('after', OVERVIEW)
    .showHelpAfterError('(--help after a command tells about it)')
    .exitOverride();
  addStoreCommands(program, actions);
  addAccountCommands(program, actions);
  addSecretsCommands(program, actions);
  addProjectionCommands(program, actions);
  addFeedCommands(program, actions);
  addTopologyCommands(program, actions);
  addQueueCommands(program, actions);
  return program;
}
