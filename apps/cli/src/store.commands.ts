import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const VERIFY = `
Reads every commit and folds every stream from nothing, in bounded memory, and looks whether
- the feeds have no gap and the streams no missing version, and command ids and holds are unique,
- every document is what its stream leads to, none is missing and none is there without a stream,
- the lists have every entry, at its place.
Each problem is one line on standard output. Changes nothing.

Beside running processes a document may be older than its stream for a moment. That is a problem only when the projector has passed
the commit that is missing, or does not come to it within 10 seconds. Where no process projects, what is missing is told and is no
problem.`;

const MIGRATE = `
To be run before the processes of this version start:
- on mongodb it makes the collections and indexes that are missing;
- on both stores it fills the read models of this version from the feed, until they have everything that is there now.
It adds and never changes or removes, so the processes of the version before can go on: run it with --follow until the new ones have
started. Repeating it does no harm. On sqlite a start does the same by itself.`;

const COMPACT = `
Removes what is kept of sessions whose tokens expired more than KEYFOLD_SESSION_DAYS ago (90), addresses of clients included. Workers
and the standalone process do so by themselves every hour; this does it now. A process that runs on the embedded store goes by its own
setting. Their commits become void commits at the same places and their documents go; "keyfold events show" says that a session was
compacted, and "keyfold feed replay" cannot send its events any more. Nothing is compacted that the projector or the relay has not read
yet. There is no way back but a backup. Repeating it does no harm.`;

const SHOW = `
The commits of one stream, the oldest first: account-<id>, ssh-keys-<account id>, ssh-key-use-<account id>, session-<session id>,
site-settings. Secrets are shown as sealed; they are never opened. Session events show addresses of clients. Of a stream that was compacted
the places of its commits are shown. Changes nothing.`;

/** `verify`, `migrate`, `compact` and `events`. */
export function addStoreCommands(program: Command, { onStore }: Actions): void {
  storeCommand(program, 'verify')
    .summary('look whether events, read models and lists agree')
    .description('Looks whether events, read models and lists agree.')
    .addHelpText('after', VERIFY)
    .action(() => onStore('verify', {}));
  storeCommand(program, 'migrate')
    .summary('prepare the database for this version')
    .description('Prepares the database for this version of Keyfold.')
    .option('--follow', 'then keep the read models up to date until interrupted')
    .addHelpText('after', MIGRATE)
    .action(({ follow = false }: { follow?: boolean }) => onStore('migrate', { follow }));
  storeCommand(program, 'compact')
    .summary('remove what is kept of sessions that expired long ago')
    .description('Removes what is kept of sessions that expired long ago.')
    .option('--dry-run', 'only count')
    .addHelpText('after', COMPACT)
    .action(({ dryRun = false }: { dryRun?: boolean }) => onStore('compact', { dryRun }));
  storeCommandGroup(program, 'events').summary('look at what happened').description('Looks at what happened.');
  storeCommand(program, 'events show')
    .summary('show the commits of a stream')
    .description('Shows the commits of a stream.')
    .argument('<stream>', 'for example account-1')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', SHOW)
    .action((stream: string, { json = false }: { json?: boolean }) => onStore('events show', { stream, json }));
}
