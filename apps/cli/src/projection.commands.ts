import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const STATUS = `
For each slot of the feed: its last position (head), how far the projector has come (checkpoint), how many commits are left (lag) and
which process works on it (host:process id:...). A parked stream could not be folded; the exit status is 1 when there is one.
Changes nothing.`;

const REBUILD = `
Folds every stream from nothing and writes its document anew, of one read model or of all (accounts, sessions, ssh_key_rings,
ssh_key_uses, site_settings). Documents without a stream are removed. Writers and the projector may go on: a document that became
newer meanwhile is left alone, and answers by id stay right.

Processes that run may still hold a wrong state in memory: restart them when documents were wrong, then run "keyfold verify".`;

const RETRY = `
A stream is parked when it cannot be folded, for example because it has an event that only a newer version knows. The projector tries
it again every 30 seconds by itself. The exit status is 1 when one stays parked.`;

/** `projections`. */
export function addProjectionCommands(program: Command, { onStore }: Actions): void {
  storeCommandGroup(program, 'projections')
    .summary('look after the read models')
    .description('Looks after the read models.');
  storeCommand(program, 'projections status')
    .summary('show how far the projector has come and what is parked')
    .description('Shows how far the projector has come and which streams are parked.')
    .option('--json', 'one JSON object')
    .addHelpText('after', STATUS)
    .action(({ json = false }: { json?: boolean }) => onStore('projections status', { json }));
  storeCommand(program, 'projections rebuild')
    .summary('make the documents of the read models anew')
    .description('Makes the documents of the read models anew.')
    .argument('[model]', 'one read model; all without it')
    .addHelpText('after', REBUILD)
    .action((model?: string) => onStore('projections rebuild', { model }));
  storeCommand(program, 'projections retry-parked')
    .summary('try parked streams again')
    .description('Tries parked streams again.')
    .addHelpText('after', RETRY)
    .action(() => onStore('projections retry-parked', {}));
}
