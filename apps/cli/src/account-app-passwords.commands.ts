import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { positiveIntegerArgument } from './arguments.js';
import { storeCommand } from './store-command.js';

const APP_PASSWORDS = `
Shows the app passwords of the account, oldest first, including expired ones that were not revoked. "Last used" may be some minutes too
early. The app passwords themselves and their hashes are never shown.

A revoked app password is refused by the next login, on every gateway. The revocation is in the history (actor "operator"), and an event
is published. The exit status is 1 if the account has no app password with this id.

With --json, each line is an object with id, name, protocol, created, expires, lastUsed and expired. Times are ISO 8601 timestamps or null.`;

/** Adds `account app-passwords`. The group `account` must exist. */
export function addAccountAppPasswordsCommand(program: Command, { onStore }: Actions): void {
  storeCommand(program, 'account app-passwords')
    .summary('show or revoke the app passwords of an account')
    .description('Shows or revokes the app passwords of an account.')
    .argument('<username>', 'exact user name')
    .option('--revoke <id>', 'revoke the app password with this id', positiveIntegerArgument)
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', APP_PASSWORDS)
    .action((username: string, { revoke, json = false }: { revoke?: number; json?: boolean }) =>
      onStore('account app-passwords', { username, revoke, json }),
    );
}
