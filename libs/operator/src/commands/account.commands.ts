import {
  accountId,
  argument,
  argumentOf,
  asked,
  choice,
  flag,
  group,
  json,
  keyId,
  local,
  onStore,
  option,
  optionalArgument,
  optionOr,
  permission,
  positiveInteger,
  text,
  texts,
  time,
} from './command.js';

const IN_HISTORY = 'The change is in the history of the account (actor "operator"), and an event is published.';

const SEALED = `
The password is sealed with the key of the service. A running process on the embedded store uses its own key. Otherwise the command uses
KEYFOLD_SEALING_KEY, or on sqlite the file sealing-key in the data folder. On mongodb set it to the same value as for the gateways. A
different key is refused.`;

const PASSWORD = `
On a terminal the command asks for the password twice, without showing it. Otherwise it reads the first line of standard input, or the
file of --password-file without its trailing newline: UTF-8, at most 1 MiB. The password cannot be an argument, because other users can
see arguments.`;

const FIELDS = `id, username, role (0 general, 1 guest, 2 admin), disabled, basePath,
permission, ssoId, allowLdap, twoFactor (off, on or locked), recoveryCodesLeft and passwordChanged. The last two are null if there are no
codes, or if the first start set the password.`;

const LIST = `
Shows all accounts by id, with shortened names and paths. Changes nothing.

With --json, each line is an object with ${FIELDS}`;

const CREATE = `
Creates an account with the general role, as an administrator can. Permissions are those of the API, for example 1024 for SFTP.
${IN_HISTORY}
${PASSWORD}
${SEALED}

The exit status is 1 if another account has the name, and 2 if the password is empty or the policy refuses it. With --json, it prints the
account like "keyfold account show".`;

const UPDATE = `
Changes only the fields that are named. A renamed account must log in again, because its tokens contain the old name. Use "set-password",
"disable" and "enable" for the password and the state; a role never changes. Put the value of an option that begins with a dash after an
equals sign.
${IN_HISTORY}`;

const DISABLE = `
From the next request on, logins and requests of the account are refused. Its sessions do not end: they work again when it is enabled. An
administrator cannot be disabled. ${IN_HISTORY}`;

const ENABLE = `
Logins and earlier sessions work again, unless they have ended or expired. ${IN_HISTORY}`;

const DELETE = `
Deletes the account, its keys and its sessions. Its id is never used again, and its name is free. The guest and administrators cannot be
deleted. This cannot be undone. ${IN_HISTORY}

On a terminal the command asks first. Otherwise --yes is required.`;

const ERASE = `
Removes what the store knows about the person behind a deleted account. Use the id; deleted accounts have no name. The event
account.erased is published first.

All commits of the account become void commits at the same positions: without events, holds and hashes. Documents, entries of the index
of SSH keys and last uses of tokens are deleted. What stays: ids, positions and times. Its former names are free at once.

Every reader of the feed must have passed the commits, also the one that deletes the user in OpenList, once it has run. Otherwise
nothing is changed, and the exit status is 1. The command may be repeated; if it was interrupted, that finishes it. If OpenList may still
have a user of the account, the command says so and fails: with 78 if KEYFOLD_OPENLIST_URL is missing, else with 1.
It shows which backups still contain the account, and until when RabbitMQ does.

This cannot be undone, except by restoring a backup without the list of erasures. On a terminal the command asks first. Otherwise --yes is
required.

With --json, it prints an object with id, erased, streams, commits, documents, backups (folder, host and since) and eventLogUntil (null if
no event was ever published). Times are ISO 8601 timestamps. Counts are those of this run.`;

const ERASURES = `
Shows the ids of the erased accounts and when they were erased, in this order. Changes nothing. Keep the output with --json beside your
backups: "keyfold restore --erasures <file>" erases these accounts again.

With --json, each line is an object with id and erased, an ISO 8601 timestamp.`;

const SET_PASSWORD = `
Use it if a password is lost, even that of the only administrator. It has the same effect as a password change by an administrator: all
sessions of the account end, the change is in its history (actor "operator"), and an event is published. Two-factor is not changed.
${PASSWORD}
${SEALED}

A throttled account stays blocked for up to 15 minutes, even with the new password. "keyfold account unlock" lifts the block.`;

const DISABLE_TWO_FACTOR = `
Use it if a second factor is lost. It has the same effect as turning two-factor off as an administrator: logins require no code until the
account enables two-factor again. It also lifts the lock after 100 wrong codes. Password and sessions are not changed. The change is in
the history of the account (actor "operator"), and an event is published. If two-factor is already off, nothing happens.`;

const UNLOCK = `
Lifts the lock after 100 wrong codes, and every block of the throttle that concerns only this account: of its sources, networks and
devices, for passwords and codes. Failures are counted from zero again. Known sources and devices stay known.

It does not lift the limits of a source or network for all accounts. Those end by themselves after 5 minutes, or for a network with 1,000
failures a day after at most an hour. It does not stop an attack: the attacker gets new attempts. Password, two-factor and
sessions are not changed. A lifted lock is in the history of the account (actor "operator"); no event is published.`;

const SESSIONS = `
Shows the sessions that have neither ended nor expired, the latest login first; at most 1,000. "Last active" may be some minutes too
early. A refused session works again when its account is enabled, but not after a password change or an eviction.

An evicted session is refused by the next request, on every gateway. Evicting is in the history (actor "operator"), and an event is
published. The exit status is 1 if the account has no session with this id.

With --json, each line is an object with id, started, lastActive, expires, works, ip, ua and factors. Times are ISO 8601 timestamps.`;

const KEYS = `
Shows the SSH keys of an account, oldest first; at most 1,000. A removed key is refused by the next look-up. Removing is in the history of
the key ring (actor "operator"), and an event is published. The exit status is 1 if the account has no key with this id.

With --json, each line is an object with id, title, fingerprint, md5Fingerprint, type, bits, comment, added, lastUsed (null for a key that
was never used), expires (null if never) and expired. Times are ISO 8601 timestamps.`;

const HISTORY = `
Shows logins and changes of the account, its keys and its sessions, the newest first: when, what, by whom, and the address and client that
the session logged in with. Logins are missing once their sessions are compacted (see "keyfold compact"), and so are the addresses of
these sessions. Secrets are never shown. Changes nothing.

Times are ISO 8601 timestamps, for example 2026-01-15T12:00:00Z. Without a time zone they use that of this machine. A name means the
account that has it now; use --id for a deleted account. Order and times are those of the processes that made the changes.

With --json, the fields are those of GET /api/admin/user/activity.`;

const SHOW = `
Shows the fields of an account, but neither its sessions nor its keys. Changes nothing.

With --at, it replays the events up to that time, and shows the account and its keys as they were. A name means the account that has it
now; use --id for a deleted account.

With --json, it prints an object with ${FIELDS}
With --at, it also has at, status (active, deleted or not yet created) and keys, whose objects are those of "account keys". An account
that was not active then has no other fields than id.`;

const TOKENS = `
Shows the access tokens of the account, oldest first, including expired ones that were not revoked. "Last used" may be some minutes too
early. The tokens themselves and their hashes are never shown.

A revoked token is refused by the next request, on every gateway. The revocation is in the history (actor "operator"), and an event is
published. The exit status is 1 if the account has no token with this id.

With --json, each line is an object with id, name, scopes, created, expires, lastUsed and expired. Times are ISO 8601 timestamps or null.`;

const APP_PASSWORDS = `
Shows the app passwords of the account, oldest first, including expired ones that were not revoked. "Last used" may be some minutes too
early. The app passwords themselves and their hashes are never shown.

A revoked app password is refused by the next login, on every gateway. The revocation is in the history (actor "operator"), and an event
is published. The exit status is 1 if the account has no app password with this id.

With --json, each line is an object with id, name, protocol, created, expires, lastUsed and expired. Times are ISO 8601 timestamps or null.`;

const REVOKE_EVERYTHING = `
Use it if somebody else may have a session, an access token or an app password of the account. It first evicts every session, then
revokes every access token and every app password, also expired ones. If it fails, run it again.

The password, two-factor and the SSH keys are not changed. If somebody else knows the password, set a new one first. The changes are in
the history of the account (actor "operator"), and events are published.`;

const username = argument('<username>', 'exact user name');
const anyAccount = {
  username: optionalArgument('[username]', 'exact user name'),
  id: option('--id <id>', 'the account with this id, even if it was deleted', accountId),
};
const newPassword = {
  username: argument('<username>', 'exact user name, for example admin'),
  passwordFile: local(option('--password-file <file>', 'file that contains the password', text)),
  password: asked(text, 'always'),
};
const PASSWORD_ARGUMENT =
  'the password cannot be an argument. Type it at the prompt, pipe it in or use --password-file';

const showing = () => import('../accounts/show-accounts.js');
const changing = () => import('../accounts/change-account.js');
const erasure = () => import('../store/erasure/erase-account.js');

/** The commands on accounts. */
export const accountCommands = {
  'account list': onStore({
    description: 'Lists all accounts.',
    help: LIST,
    fields: { json: json('one JSON object per line') },
    run: async (args, run) => (await showing()).listAccounts(args, run),
  }),
  'account create': onStore({
    description: 'Creates an account.',
    help: CREATE,
    fields: {
      ...newPassword,
      basePath: optionOr('/', '--base-path <path>', 'folder that the account sees as its root (default: /)', text),
      permission: optionOr(0, '--permission <number>', 'permissions as a bit set (default: 0)', permission),
      ssoId: optionOr('', '--sso-id <id>', 'id of the account at the provider of single sign-on', text),
      disabled: flag('--disabled', 'refuse its logins until it is enabled'),
      json: json('one JSON object'),
    },
    unexpected: PASSWORD_ARGUMENT,
    sealingTask: () => 'create an account',
    run: async (args, run) => (await changing()).createAccount(args, run),
  }),
  'account update': onStore({
    description: 'Changes some fields of an account.',
    help: UPDATE,
    fields: {
      username,
      changes: group({
        username: option('--username <name>', 'new user name', text),
        basePath: option('--base-path <path>', 'new base path', text),
        permission: option('--permission <number>', 'new permissions as a bit set', permission),
        ssoId: option('--sso-id <id>', 'new SSO id', text),
        allowLdap: choice(
          ['--allow-ldap', 'allow LDAP logins, which Keyfold does not offer itself'],
          ['--no-allow-ldap', 'do not allow LDAP logins'],
        ),
      }),
      json: json('the changed account as one JSON object'),
    },
    problem: ({ changes }) => (Object.keys(changes).length === 0 ? 'name a field to change' : undefined),
    run: async (args, run) => (await changing()).updateAccount(args, run),
  }),
  'account disable': onStore({
    description: 'Refuses the logins and requests of an account.',
    help: DISABLE,
    fields: { username },
    run: async (args, run) => (await changing()).disableAccount(args, run),
  }),
  'account enable': onStore({
    description: 'Enables a disabled account.',
    help: ENABLE,
    fields: { username },
    run: async (args, run) => (await changing()).enableAccount(args, run),
  }),
  'account delete': onStore({
    description: 'Deletes an account with its keys and sessions.',
    help: DELETE,
    fields: { username, yes: local(flag('--yes', 'delete without a question')) },
    run: async (args, run) => (await changing()).deleteAccount(args, run),
  }),
  'account erase': onStore({
    description: 'Erases a deleted account.',
    help: ERASE,
    fields: {
      id: argumentOf(accountId, '<id>', 'id of the account'),
      json: json('one JSON object'),
      yes: local(flag('--yes', 'erase without a question')),
    },
    run: async (args, run) => (await erasure()).eraseAccount(args, run),
  }),
  'account erasures': onStore({
    description: 'Shows the erased accounts.',
    help: ERASURES,
    fields: { json: json('one JSON object per line') },
    run: async (args, run) => (await erasure()).listErasures(args, run),
  }),
  'account set-password': onStore({
    description: 'Sets the password of an account.',
    help: SET_PASSWORD,
    fields: newPassword,
    unexpected: PASSWORD_ARGUMENT,
    sealingTask: () => 'set a password',
    run: async (args, run) => (await changing()).setPassword(args, run),
  }),
  'account disable-two-factor': onStore({
    description: 'Turns two-factor off for an account and lifts its lock.',
    help: DISABLE_TWO_FACTOR,
    fields: { username },
    run: async (args, run) => (await changing()).disableTwoFactor(args, run),
  }),
  'account unlock': onStore({
    description: 'Lifts the lock and the blocks of an account.',
    help: UNLOCK,
    fields: { username },
    run: async (args, run) => (await changing()).unlockAccount(args, run),
  }),
  'account sessions': onStore({
    description: 'Shows or evicts the sessions of an account.',
    help: SESSIONS,
    fields: {
      username,
      evict: option('--evict <id>', 'evict the session with this id', text),
      evictAll: flag('--evict-all', 'evict every session of the account'),
      json: json('one JSON object per line'),
    },
    problem: ({ evict, evictAll }) =>
      evict !== undefined && evictAll ? "use either '--evict' or '--evict-all'" : undefined,
    run: async (args, run) => (await import('../accounts/account-sessions.js')).accountSessions(args, run),
  }),
  'account keys': onStore({
    description: 'Shows or removes the SSH keys of an account.',
    help: KEYS,
    fields: {
      username,
      remove: option('--remove <id>', 'remove the key with this id', keyId),
      json: json('one JSON object per line'),
    },
    run: async (args, run) => (await import('../accounts/account-keys.js')).accountKeys(args, run),
  }),
  'account history': onStore({
    description: 'Shows what was done to an account, by whom and from where.',
    help: HISTORY,
    fields: {
      ...anyAccount,
      types: option('--type <type...>', 'only these types, for example account.password-changed', texts),
      from: option('--from <time>', 'only at or after this time', time),
      until: option('--until <time>', 'only before this time', time),
      json: json('one JSON object per line'),
    },
    problem: ({ username: name, id, from, until }) =>
      problemOfChoice(name, id) ??
      (from !== undefined && until !== undefined && from >= until ? "'--from' must be before '--until'" : undefined),
    run: async (args, run) => (await import('../accounts/account-history.js')).showHistory(args, run),
  }),
  'account show': onStore({
    description: 'Shows an account, now or at a past time.',
    help: SHOW,
    fields: {
      username: optionalArgument('[username]', 'exact user name, for example admin'),
      id: anyAccount.id,
      at: option('--at <time>', 'show the account and its keys as they were at this time', time),
      json: json('one JSON object'),
    },
    problem: ({ username: name, id }) => problemOfChoice(name, id),
    run: async (args, run) => (await showing()).showAccount(args, run),
  }),
  'account tokens': onStore({
    description: 'Shows or revokes the access tokens of an account.',
    help: TOKENS,
    fields: {
      username,
      revoke: option('--revoke <id>', 'revoke the access token with this id', positiveInteger),
      json: json('one JSON object per line'),
    },
    run: async (args, run) => (await import('../accounts/account-secrets.js')).accountTokens(args, run),
  }),
  'account app-passwords': onStore({
    description: 'Shows or revokes the app passwords of an account.',
    help: APP_PASSWORDS,
    fields: {
      username,
      revoke: option('--revoke <id>', 'revoke the app password with this id', positiveInteger),
      json: json('one JSON object per line'),
    },
    run: async (args, run) => (await import('../accounts/account-secrets.js')).accountAppPasswords(args, run),
  }),
  'account revoke-everything': onStore({
    description: 'Ends the sessions, access tokens and app passwords of an account.',
    help: REVOKE_EVERYTHING,
    fields: { username },
    run: async (args, run) => (await import('../accounts/account-sessions.js')).revokeEverything(args, run),
  }),
  /** Checks that an account exists, before the operator is asked for something. */
  'account exists': onStore({
    fields: { username },
    run: async (args, run) => (await changing()).requireAccount(args, run),
  }),
};

const problemOfChoice = (username: string | undefined, id: number | undefined) =>
  (username === undefined) === (id === undefined) ? "name the account, or use '--id <id>'" : undefined;
