import {
  argument,
  argumentOf,
  asked,
  direct,
  flag,
  local,
  oneOf,
  onStore,
  option,
  optionOr,
  positiveInteger,
  text,
  texts,
  time,
} from './command.js';

const BACKUP = `
Writes everything that the store has to a new folder, or what is new to the folder of an earlier run. A backup is the whole folder. The command
runs beside a running service, and everything that was acknowledged before it started is in the backup.

It folds every stream that it writes and reads the file again. It also checks the size of every earlier file, and the content of a seventh
of them. If the store has a problem or a file is damaged, the command prints it and leaves the backup unchanged. If the command is killed, the
backup stays as it was. "keyfold restore --dry-run" checks everything.

Only the owner can read the folder, but it contains personal data. --recipient encrypts each file to a public key of age, and --passphrase-file with
a passphrase; the standard tool age can open the files. All runs into a folder use the same way.

With the sealing keys of the service, the backup gets an HMAC. A restore with these keys refuses a changed manifest, and warns if the HMAC is missing.

Not in a backup: sealing keys, the token secret, counters of failed logins and last uses. Keep the sealing keys elsewhere: without them
nobody can log in after a restore.`;

const RESTORE = `
Restores a backup into the store of the settings, which must be empty: on sqlite a new or empty KEYFOLD_DATA_DIR, in which only sealing-key and
token-secret may be, and on mongodb an empty database. The backup must come from the same kind of store.

It first checks every file and every commit, and writes nothing if one is damaged. It warns if the backup has no HMAC or if its sealing key is missing. Then it takes over the commits, rebuilds the lists and
verifies the result. No service can start on the store before the command has finished. A run that was killed starts over.

Erased accounts are left out, also if the backup has them: those that the last run into the folder knew, and those of --erasures.

With --at, everything later than the time is left out. Accounts that were created later get no new ids.`;

const COPY = `
Copies the embedded store in KEYFOLD_DATA_DIR to the MongoDB database KEYFOLD_MONGODB_URI (mongodb), or that database to an empty or missing
folder KEYFOLD_DATA_DIR (sqlite). Set both; KEYFOLD_STORE is ignored.

1. Run it without --finish, as often as you like. The service keeps running. The command copies until it is a few commits behind. An
   interrupted run continues.
2. Stop the service, or all gateways and workers. Run it with --finish, which takes seconds. It copies the rest and allows processes to
   start on the copy.
3. Start the new processes with the same KEYFOLD_SEALING_KEY and KEYFOLD_TOKEN_SECRET. Without them secrets cannot be read and sessions end.

Commits keep their ids, times and order. Sessions and tokens keep working, and no event is published twice. The target is unusable until
--finish has ended. The source never changes. Counters of failed logins and last uses of tokens are not copied.`;

const passphraseFile = local(option('--passphrase-file <file>', 'encrypted with the passphrase in this file', text));
const FOLDER = '<folder>';

/** The commands that record something in the store. */
export const backupCommands = {
  backup: onStore({
    description: 'Writes a backup, or adds to one.',
    help: BACKUP,
    fields: {
      folder: local(argument(FOLDER, 'a new folder, or that of an earlier run')),
      recipients: local(
        optionOr<readonly string[]>([], '--recipient <age1...>', 'encrypt to public keys of age', texts),
      ),
      passphraseFile,
      path: asked(text, 'always'),
      host: asked(text, 'always'),
      madeAt: asked(positiveInteger, 'always'),
    },
    problem: ({ recipients, passphraseFile: file }) =>
      recipients.length > 0 && file !== undefined ? 'use either --recipient or --passphrase-file' : undefined,
    run: async (args, run) => (await import('../store/erasure/erasure-records.js')).recordBackup(args, run),
  }),
};

/** The commands that fill a store which no service uses. */
export const directCommands = {
  'store copy': direct({
    description: 'Copies the store to the other kind of store.',
    help: COPY,
    fields: {
      target: local(argumentOf(oneOf('mongodb', 'sqlite'), '<target>', 'mongodb or sqlite')),
      finish: local(flag('--finish', 'copy the rest of a stopped service')),
    },
  }),
  restore: direct({
    description: 'Restores a backup into an empty store.',
    help: RESTORE,
    fields: {
      folder: local(argument(FOLDER, 'folder of the backup')),
      at: local(option('--at <time>', 'restore the state at this time (ISO 8601)', time)),
      dryRun: local(flag('--dry-run', 'only check the backup')),
      identityFile: local(option('--identity <file>', 'file with the private key of age', text)),
      passphraseFile,
      erasures: local(option('--erasures <file>', 'also leave out what "account erasures --json" printed', text)),
    },
  }),
};
