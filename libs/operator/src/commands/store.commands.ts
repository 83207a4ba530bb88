import { argument, flag, json, onStore } from './command.js';

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
access-tokens-<account id>, app-passwords-<account id>, openlist-user-<account id>, session-<session id>, site-settings and erasures. Secrets stay sealed, and the hashes of
access tokens and app passwords are hidden. Session events contain client addresses. For a compacted or erased stream it shows only the positions of its commits. Changes nothing.`;

/** The commands on the whole store. */
export const storeCommands = {
  verify: onStore({
    description: 'Checks that events, read models and lists agree.',
    help: VERIFY,
    fields: {},
    run: async (args, run) => (await import('../store/verify-store.js')).verifyStore(args, run),
  }),
  migrate: onStore({
    description: 'Prepares the database for this version of Keyfold.',
    help: MIGRATE,
    fields: {
      follow: flag('--follow', 'keep the read models up to date and announce expired SSH keys until interrupted'),
    },
    run: async (args, run) => (await import('../store/migrate.js')).migrate(args, run),
  }),
  compact: onStore({
    description: 'Deletes the events of sessions that expired long ago.',
    help: COMPACT,
    fields: { dryRun: flag('--dry-run', 'only count the sessions') },
    run: async (args, run) => (await import('../store/compact-sessions.js')).compactSessions(args, run),
  }),
  'events show': onStore({
    description: 'Shows the commits of a stream.',
    help: SHOW,
    fields: { stream: argument('<stream>', 'for example account-1'), json: json('one JSON object per line') },
    run: async (args, run) => (await import('../store/show-events.js')).showEvents(args, run),
  }),
};
