import { argument, asked, flag, json, local, onStore, optionOr, texts, truth, type Kind } from './command.js';

const OPENLIST = `
Takes accounts with their passwords, second factors and SSH keys from data.db, the SQLite database of OpenList or AList, and the settings of
the site. Passwords and authenticator apps stay the same. Sessions and tokens of OpenList do not work here. The admin and the guest replace
those that Keyfold created, as long as nobody changed them here.

First run it with --dry-run. It says which tables and columns the file lacks. Problems have names, and without --accept for each of them the command
changes nothing. An account, key or setting with an accepted problem is left out, except that "reads-more-than-before" only warns of an account. Ids
stay the same unless an account here has or had them; the table shows new ones.

Safe to repeat: it continues an interrupted run and takes what is new or changed in OpenList. Accounts and settings that were changed
here stay as they are, and are reported, also if they were changed on both sides. It lists accounts of earlier imports that the file no longer
has, and deletes nothing. Keyfold takes one site only: a second one may have other people under the same ids.

The command reads the file itself, also beside a running service, and never writes it. Each hash of a password is wrapped in argon2id
before it leaves the command, which takes 20 to 40 ms of a CPU. The command says how long that takes before it begins. The embedded store
stays open during an import, so start the service before it, or after.

Imports are in the history of the accounts (actor "import"). Subscribers hear of them, and "account.registered" names the service in
importedFrom. With --silent no events are published.

Settings are those of the pages site, style, preview, global, single sign-on and LDAP. Values that OpenList had from the start stay behind.
The static token is only taken with --static-token.

The exit status is 1 if a problem was not accepted, and 2 if the file cannot be used.

With --json, each line is an object. That of an account has id (in OpenList, null if it is no integer), username, outcome (taken, unchanged,
changed here, changed on both sides, refused, or no longer in the file), accountId (here, or null), problems (objects with reason, sometimes
its cause, and for a key its title as key), notes, needsPassword, and keys (the number to add). That of a setting has setting, outcome, here and there (its values, null if secret or too long), and problems. An import prints
the accounts and settings that it takes or refuses, and --dry-run all of them.`;

const MAPPING = `
Shows every account that "import openlist" has brought, also with a new id, except those that were erased. The ids are kept for good, so that
other systems can follow them. Without --json, an account that was deleted here has the name "(deleted)".

With --json, each line is an object with id (in OpenList), accountId (here) and username (null if the account was deleted here).`;

const list: Kind<readonly unknown[]> = { is: (value) => Array.isArray(value) };

/** The commands that import accounts. */
export const importCommands = {
  'import openlist': onStore({
    description: 'Imports the accounts of OpenList.',
    help: OPENLIST,
    fields: {
      file: local(argument('<file>', 'database of OpenList, usually data/data.db')),
      accept: optionOr<readonly string[]>([], '--accept <problem...>', 'continue despite these problems', texts),
      staticToken: local(flag('--static-token', 'also take the static token')),
      silent: flag('--silent', 'publish no events'),
      dryRun: local(flag('--dry-run', 'only show what would be taken')),
      json: local(json('one JSON object per line')),
      accounts: asked(list, 'always'),
      write: asked(truth, 'always'),
    },
    sealingTask: () => 'import accounts',
    run: async (args, run) => (await import('../openlist/import/import-accounts.js')).importAccounts(args, run),
  }),
  'import mapping': onStore({
    description: 'Shows which account each account of OpenList became.',
    help: MAPPING,
    fields: { json: json('one JSON object per line') },
    run: async (args, run) => (await import('../openlist/import/show-mapping.js')).showMapping(args, run),
  }),
  // Sent by "import openlist".
  'import openlist-settings': onStore({
    fields: { settings: asked(list, 'always'), write: asked(truth, 'always'), silent: asked(truth, 'always') },
    sealingTask: () => 'import settings',
    run: async (args, run) => (await import('../openlist/import/import-settings.js')).importSettings(args, run),
  }),
};
