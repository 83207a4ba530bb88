import { argument, flag, local, onStore, option, text } from './command.js';

const OPENLIST = `
Writes a new SQLite database with which OpenList 4.2 starts: accounts with roles, permissions, second factors and SSH keys, the settings
that differ from those of a new service, and the static token. Ids stay the same. Put it in the place of data.db while OpenList is stopped.

Keyfold cannot turn its password hashes back into those of OpenList. With --passwords-from, a password that was not changed since its import
is taken from the database that was imported. Every other account gets a new random password, in <file>.passwords: a line of JSON
for each, with id, username and password. First the command shows how many, and asks for a confirmation. Without a terminal,
--reset-passwords must confirm it.

OpenList has no place for sessions, access tokens, app passwords, recovery codes, and SSH keys with an expiry, which would never expire
there. The command counts them. Changes nothing here.

Both files must not exist yet, and only their owner can read them. They contain second factors and passwords: delete every copy. They appear
when they are complete, so an interrupted export leaves none; one that was killed leaves <file>.part and <file>.passwords.part.

"keyfold import openlist" knows the exported accounts again. It leaves their passwords, unless OpenList has changed them.

The exit status is 2 if the new passwords were not confirmed or the old database cannot be used.

A running process on the embedded store uses its own sealing key. Otherwise the command uses KEYFOLD_SEALING_KEY, or on sqlite the file
sealing-key in the data folder. On mongodb set it to the same value as for the gateways.`;

/** The commands that export accounts. */
export const exportCommands = {
  'export openlist': onStore({
    description: 'Writes the accounts to a database of OpenList.',
    help: OPENLIST,
    fields: {
      file: local(argument('<file>', 'new database')),
      passwordsFrom: local(
        option('--passwords-from <data.db>', 'database that was imported, for unchanged passwords', text),
      ),
      resetPasswords: local(flag('--reset-passwords', 'give new passwords without asking')),
    },
    sealingTask: () => 'export accounts',
    run: async (args, run) => (await import('../openlist/export/export-accounts.js')).exportAccounts(args, run),
  }),
};
