import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { SHOW } from './account.help.js';
import { accountIdArgument, timeArgument } from './arguments.js';
import { storeCommand } from './store-command.js';

const HISTORY = `
Shows logins and changes of the account, its keys and its sessions, the newest first: when, what, by whom, and the address and client that
the session logged in with. Logins are missing once their sessions are compacted (see "keyfold compact"), and so are the addresses of
these sessions. Secrets are never shown. Changes nothing.

Times are ISO 8601 timestamps, for example 2026-01-15T12:00:00Z. Without a time zone they use that of this machine. A name means the
account that has it now; use --id for a deleted account. Order and times are those of the processes that made the changes.

With --json, the fields are those of GET /api/admin/user/activity.`;

type HistoryOptions = Readonly<{
  id?: number;
  type?: readonly string[];
  from?: number;
  until?: number;
  json?: boolean;
}>;
type ShowOptions = Readonly<{ id?: number; at?: number; json?: boolean }>;

/** Adds the commands of `account` that can read the past. The group must exist. */
export function addAccountHistoryCommands(program: Command, { onStore }: Actions): void {
  storeCommand(program, 'account history')
    .summary('show what was done to an account')
    .description('Shows what was done to an account, by whom and from where.')
    .argument('[username]', 'exact user name')
    .option('--id <id>', 'the account with this id, even if it was deleted', accountIdArgument)
    .option('--type <type...>', 'only these types, for example account.password-changed')
    .option('--from <time>', 'only at or after this time', timeArgument)
    .option('--until <time>', 'only before this time', timeArgument)
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', HISTORY)
    .action(async (username: string | undefined, options: HistoryOptions, command: Command) => {
      const { id, type: types, from, until, json = false } = options;
      requireOneAccount(username, id, command);
      if (from !== undefined && until !== undefined && from >= until)
        command.error("error: '--from' must be before '--until'");
      await onStore('account history', { username, id, types, from, until, json });
    });
  storeCommand(program, 'account show')
    .summary('show an account, now or at a past time')
    .description('Shows an account, now or at a past time.')
    .argument('[username]', 'exact user name, for example admin')
    .option('--id <id>', 'the account with this id, even if it was deleted', accountIdArgument)
    .option('--at <time>', 'show the account and its keys as they were at this time', timeArgument)
    .option('--json', 'print one JSON object')
    .addHelpText('after', SHOW)
    .action(async (username: string | undefined, { id, at, json = false }: ShowOptions, command: Command) => {
      requireOneAccount(username, id, command);
      await onStore('account show', { username, id, at, json });
    });
}

function requireOneAccount(username: string | undefined, id: number | undefined, command: Command): void {
  if ((username === undefined) === (id === undefined)) command.error("error: name the account, or use '--id <id>'");
}
