import { argument, asked, flag, json, local, onStore, optionOr, texts, truth, type Kind } from './command.js';

const OPENLIST = `
Takes accounts with their passwords, second factors and SSH keys from data.db, the SQLite database of OpenList. Passwords and
authenticator apps stay the same. Sessions and tokens of OpenList do not work here. The admin and the guest replace those that Keyfold
created, as long as nobody changed them here.

First run it with --dry-run. An account or key with a problem is not taken. Problems have names, and without --accept for each of them the
command changes nothing. Ids stay the same unless an account here has or had them; the table shows
new ones.

Safe to repeat: it continues an interrupted run and takes what is new or changed in OpenList. Accounts that were also changed here stay as
they are, and are reported. Import only one site: a second one may have other people under the same ids.

The command reads the file itself, also beside a running service, and never writes it. Each hash of a password is wrapped in argon2id
before it leaves the command, which takes 20 to 40 ms of a CPU. Imports are in the history of the accounts (actor "import"), and events are
published.

The exit status is 1 if a problem was not accepted, and 2 if the file cannot be used.

With --json, each line is an object with id (in OpenList), username, outcome (taken, unchanged, changed here or refused), accountId (here,
or null), problems (objects with reason and, for a key, its title as key), notes, needsPassword, and keys (the number to add). An import
prints the accounts that it takes or refuses, and --dry-run all of them.`;

const list: Kind<readonly unknown[]> = { is: (value) => Array.isArray(value) };

/** The commands that import accounts. */
export const importCommands = {
  'import openlist': onStore({
    description: 'Imports the accounts of OpenList.',
    help: OPENLIST,
    fields: {
      file: local(argument('<file>', 'database of OpenList, usually data/data.db')),
      accept: optionOr<readonly string[]>([], '--accept <problem...>', 'leave out what has these problems', texts),
      dryRun: local(flag('--dry-run', 'only show what would be taken')),
      json: local(json('one JSON object per line')),
      accounts: asked(list, 'always'),
      write: asked(truth, 'always'),
    },
    sealingTask: () => 'import accounts',
    run: async (args, run) => (await import('../import/import-accounts.js')).importAccounts(args, run),
  }),
};
