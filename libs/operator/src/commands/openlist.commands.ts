import { asked, flag, json, listArgument, local, onStore, type Kind } from './command.js';

const SETTINGS = `

The settings KEYFOLD_OPENLIST_URL and KEYFOLD_OPENLIST_TOKEN name OpenList. A running process on the embedded store uses its own, and its own
sealing key. On mongodb set them and KEYFOLD_SEALING_KEY to the same values as for the gateways.`;

const STATUS = `
Shows the version of OpenList, how many accounts have a mirror, how many users there Keyfold does not know, and how many commits the
reader "openlist" has not read. A parked account is retried at least every five minutes until OpenList accepts its mirror; the reason is
beside it. One that has a current mirror by now, for example by "adopt", is left out. Changes nothing.

The exit status is 1 if OpenList does not answer or an account is parked.

With --json, the line is an object with version, mirrored, missing (accounts without a mirror), unknown (users), lag (commits) and parked
(objects with accountId, since and reason).${SETTINGS}`;

const ADOPT = `
Makes users of OpenList that Keyfold does not know the mirrors of accounts. A user belongs to the account that "import openlist" made of it, also
after a rename on either side, and otherwise to the account with the same name. Other users stay alone.

First shows the users with their accounts, and asks. Without a terminal, --yes must confirm it. An adopted user gets the name and rights of
its account and a new random password. Its second factor and its passkeys are removed; the account here keeps its own. Shares and tasks stay. If the
account has a mirror already, the imported user replaces it, and OpenList deletes that mirror with its shares.

Safe to repeat. The exit status is 1 if a user could not be adopted, and 2 if a named one cannot be or nothing was confirmed.${SETTINGS}`;

const REBUILD = `
Makes every mirror again with a new random password: it takes over the users of OpenList with the mark of an account, creates missing ones
and deletes those whose account was deleted here. Ids of users, shares and tasks stay. Users without a mark are left alone.

Run it after a restore of Keyfold or OpenList. Requests continue meanwhile. Safe to repeat, also after an interruption. The exit status is 1
if a mirror could not be made.${SETTINGS}`;

const VERIFY = `
Compares every mirror with its account: name, base path, permissions, disabled flag, password (by its mark) and SSH keys. Also compares the guest,
and reports accounts without a mirror and mirrors without an account. Prints one line for each difference. Changes nothing.

A difference counts if it is still there after 3 seconds, because changes take up to one. Users that Keyfold does not know are only counted. OpenList
does not show second factors of its users; an adoption removes them.${SETTINGS}`;

const list: Kind<readonly unknown[]> = { is: (value) => Array.isArray(value) };

const sealingTask = () => 'use the mirrors in OpenList';

/** The commands on the mirrors of the accounts in OpenList. */
export const openlistCommands = {
  'openlist status': onStore({
    description: 'Shows OpenList and how many accounts it mirrors.',
    help: STATUS,
    fields: { json: json('a JSON object') },
    sealingTask,
    run: async (args, run) => (await import('../openlist/mirror/show-status.js')).showStatus(args, run),
  }),
  'openlist adopt': onStore({
    description: 'Makes users of OpenList the mirrors of accounts.',
    help: ADOPT,
    fields: {
      names: listArgument('[name...]', 'names of users in OpenList'),
      all: local(flag('--all', 'adopt all users that belong to an account')),
      yes: local(flag('--yes', 'do not ask for confirmation')),
      users: asked(list, 'optional'),
    },
    problem: ({ names, all }) => (all === names.length > 0 ? 'name users of OpenList, or use --all' : undefined),
    sealingTask,
    run: async (args, run) => (await import('../openlist/mirror/adopt-users.js')).adoptUsers(args, run),
  }),
  'openlist rebuild': onStore({
    description: 'Makes the mirrors of all accounts again.',
    help: REBUILD,
    fields: {},
    sealingTask,
    run: async (args, run) => (await import('../openlist/mirror/rebuild-mirrors.js')).rebuildMirrors(args, run),
  }),
  'openlist verify': onStore({
    description: 'Compares every mirror with its account.',
    help: VERIFY,
    fields: {},
    sealingTask,
    run: async (args, run) => (await import('../openlist/mirror/verify-mirrors.js')).verifyMirrors(args, run),
  }),
};
