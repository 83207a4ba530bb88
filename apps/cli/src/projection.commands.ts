import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const STATUS = `
Shows for each slot of the feed: the last position (head), the last projected position (checkpoint), the number of commits between them
(lag) and the process that owns the slot (host:process id:...). A stream is parked if it cannot be folded. The exit status is 1 if a
stream is parked. Changes nothing.`;

const REBUILD = `
Folds every stream and rewrites its document, for one read model or for all (accounts, sessions, ssh_key_rings, ssh_key_uses,
access_tokens, app_passwords, site_settings). Deletes documents without a stream. Processes can keep running: documents that are updated meanwhile are
not overwritten, and reads by id stay correct.

Running processes may still cache a wrong state. If documents were wrong, restart the processes, then run "keyfold verify".`;

const RETRY = `
A stream is parked if it cannot be folded, for example because it contains an event that only a newer version knows. The projector
retries it every 30 seconds; this command does so now. The exit status is 1 if a stream stays parked.`;

/** Adds `projections`. */
export function addProjectionCommands(program: Command, { onStore }: Actions): void {
  storeCommandGroup(program, 'projections').summary('manage the read models').description('Manages the read models.');
  storeCommand(program, 'projections status')
    .summary('show the progress of the projector and parked streams')
    .description('Shows the progress of the projector and parked streams.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', STATUS)
    .action(({ json = false }: { json?: boolean }) => onStore('projections status', { json }));
  storeCommand(program, 'projections rebuild')
    .summary('rebuild the documents of the read models')
    .description('Rebuilds the documents of the read models.')
    .argument('[model]', 'read model to rebuild (default: all)')
    .addHelpText('after', REBUILD)
    .action((model?: string) => onStore('projections rebuild', { model }));
  storeCommand(program, 'projections retry-parked')
    .summary('retry parked streams')
    .description('Retries parked streams.')
    .addHelpText('after', RETRY)
    .action(() => onStore('projections retry-parked', {}));
}
