import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { positiveIntegerArgument } from './arguments.js';
import { storeCommand } from './store-command.js';

const TOKENS = `
Shows the access tokens of the account, oldest first, including expired ones that were not revoked. "Last used" may be some minutes too
early. The tokens themselves and their hashes are never shown.

A revoked token is refused by the next request, on every gateway. The revocation is in the history (actor "operator"), and an event is
published. The exit status is 1 if the account has no token with this id.

With --json, each line is an object with id, name, scopes, created, expires, lastUsed and expired. Times are ISO 8601 timestamps or null.`;

/** Adds `account tokens`. The group `account` must exist. */
export function addAccountTokensCommand(program: Command, { onStore }: Actions): void {
  storeCommand(program, 'account tokens')
    .summary('show or revoke the access tokens of an account')
    .description('Shows or revokes the access tokens of an account.')
    .argument('<username>', 'exact user name')
    .option('--revoke <id>', 'revoke the access token with this id', positiveIntegerArgument)
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', TOKENS)
    .action((username: string, { revoke, json = false }: { revoke?: number; json?: boolean }) =>
      onStore('account tokens', { username, revoke, json }),
    );
}
