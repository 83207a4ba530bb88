import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const VERIFY = `
Reads every commit, folds every stream in bounded memory, and checks that
- no feed has a gap and no stream misses a version; command ids and holds are unique,
- every document matches its stream; none is missing or without a stream,
- the lists contain every entry in the right position.
Prints one line for each problem. Changes nothing.

While processes run, a document can lag behind its stream. This counts as a problem only if the projector has passed the missing commit
or does not reach it within 10 seconds. Without a running projector, missing commits are reported but do not count as problems.`;

const MIGRATE = `
Run it before you start the processes of a new version.
- On mongodb it creates missing collections and indexes.
- On both stores it fills the read models of this version from the feed, up to the current commits.
It only adds data, so processes of the previous version keep working. Run it with --follow until the new processes have started. Safe to
repeat. On sqlite every startup does this itself.`;

const COMPACT = `
Deletes the events of sessions whose tokens expired more than KEYFOLD_SESSION_DAYS ago (default 90), including client addresses. Workers
and the standalone process do this every hour; this command does it now. A process that has the embedded store open uses its own setting.

The commits become void commits at the same positions, and the documents are deleted. "keyfold events show" reports the session as
compacted, and "keyfold feed replay" can no longer send its events. Sessions that the projector or the relay has not read yet are skipped.

This cannot be undone, except by restoring a backup. Safe to repeat.`;

const SHOW = `
Shows the commits of a stream, oldest first. Streams are named account-<id>, ssh-keys-<account id>, ssh-key-use-<account id>,
access-tokens-<account id>, app-passwords-<account id>, session-<session id> and site-settings. Secrets stay sealed, and the hashes of
access tokens and app passwords are hidden. Session events contain client addresses. For a compacted stream it shows only the positions of its commits. Changes nothing.`;

/** Adds `verify`, `migrate`, `compact` and `events`. */
export function addStoreCommands(program: Command, { onStore }: Actions): void {
  storeCommand(program, 'verify')
    .summary('check that events, read models and lists agree')
    .description('Checks that events, read models and lists agree.')
    .addHelpText('after', VERIFY)
    .action(() => onStore('verify', {}));
  storeCommand(program, 'migrate')
    .summary('prepare the database for this version')
    .description('Prepares the database for this version of Keyfold.')
    .option('--follow', 'keep the read models up to date until interrupted')
    .addHelpText('after', MIGRATE)
    .action(({ follow = false }: { follow?: boolean }) => onStore('migrate', { follow }));
  storeCommand(program, 'compact')
    .summary('delete the events of sessions that expired long ago')
    .description('Deletes the events of sessions that expired long ago.')
    .option('--dry-run', 'only count the sessions')
    .addHelpText('after', COMPACT)
    .action(({ dryRun = false }: { dryRun?: boolean }) => onStore('compact', { dryRun }));
  storeCommandGroup(program, 'events').summary('show stored events').description('Shows stored events.');
  storeCommand(program, 'events show')
    .summary('show the commits of a stream')
    .description('Shows the commits of a stream.')
    .argument('<stream>', 'for example account-1')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', SHOW)
    .action((stream: string, { json = false }: { json?: boolean }) => onStore('events show', { stream, json }));
}
