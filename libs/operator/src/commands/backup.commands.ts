import {
  argument,
  asked,
  direct,
  flag,
  local,
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

It folds every stream that it writes and reads the file again. If the store has a problem, the command prints it and leaves the
backup unchanged. If the command is killed, the backup stays as it was.

Only the owner can read the folder, but it contains personal data. --recipient encrypts each file to a public key of age, and --passphrase-file with
a passphrase; the standard tool age can open the files. All runs into a folder use the same way.

Not in a backup: sealing keys, the token secret, counters of failed logins and last uses. Keep the sealing keys elsewhere: without them
nobody can log in after a restore.`;

const RESTORE = `
Restores a backup into the store of the settings, which must be empty: on sqlite a new or empty KEYFOLD_DATA_DIR, in which only sealing-key and
token-secret may be, and on mongodb an empty database. The backup must come from the same kind of store.

It first checks every file and every commit, and writes nothing if one is damaged. Then it takes over the commits, rebuilds the lists and
verifies the result. No service can start on the store before the command has finished. A run that was killed starts over.

Erased accounts are left out, also if the backup has them: those that the last run into the folder knew, and those of --erasures.

With --at, everything later than the time is left out. Accounts that were created later get no new ids.`;

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
    run: async (args, run) => (await import('../backup/record-backup.js')).recordBackup(args, run),
  }),
};

/** The commands that fill a store which no service uses. */
export const directCommands = {
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
