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

export const LIST = `
Shows all accounts by id, with shortened names and paths. Changes nothing.

With --json, each line is an object with ${FIELDS}`;

export const SHOW = `
Shows the fields of an account, but neither its sessions nor its keys. Changes nothing.

With --at, it replays the events up to that time, and shows the account and its keys as they were. A name means the account that has it
now; use --id for a deleted account.

With --json, it prints an object with ${FIELDS}
With --at, it also has at, status (active, deleted or not yet created) and keys, whose objects are those of "account keys". An account
that was not active then has no other fields than id.`;

export const CREATE = `
Creates an account with the general role, as an administrator can. Permissions are those of the API, for example 1024 for SFTP.
${IN_HISTORY}
${PASSWORD}
${SEALED}

The exit status is 1 if another account has the name, and 2 if the password is empty or the policy refuses it. With --json, it prints the
account like "keyfold account show".`;

export const UPDATE = `
Changes only the fields that are named. A renamed account must log in again, because its tokens contain the old name. Use "set-password",
"disable" and "enable" for the password and the state; a role never changes. Put the value of an option that begins with a dash after an
equals sign.
${IN_HISTORY}`;

export const DISABLE = `
From the next request on, logins and requests of the account are refused. Its sessions do not end: they work again when it is enabled. An
administrator cannot be disabled. ${IN_HISTORY}`;

export const ENABLE = `
Logins and earlier sessions work again, unless they have ended or expired. ${IN_HISTORY}`;

export const DELETE = `
Deletes the account, its keys and its sessions. Its id is never used again, and its name is free. The guest and administrators cannot be
deleted. This cannot be undone. ${IN_HISTORY}

On a terminal the command asks first. Otherwise --yes is required.`;

export const SET_PASSWORD = `
Use it if a password is lost, even that of the only administrator. It has the same effect as a password change by an administrator: all
sessions of the account end, the change is in its history (actor "operator"), and an event is published. Two-factor is not changed.
${PASSWORD}
${SEALED}

A throttled account stays blocked for up to 15 minutes, even with the new password. "keyfold account unlock" lifts the block.`;

export const DISABLE_TWO_FACTOR = `
Use it if a second factor is lost. It has the same effect as turning two-factor off as an administrator: logins require no code until the
account enables two-factor again. It also lifts the lock after 100 wrong codes. Password and sessions are not changed. The change is in
the history of the account (actor "operator"), and an event is published. If two-factor is already off, nothing happens.`;

export const UNLOCK = `
Lifts the lock after 100 wrong codes, and every block of the throttle that concerns only this account: of its sources, networks and
devices, for passwords and codes. Failures are counted from zero again. Known sources and devices stay known.

It does not lift the limits of a source or network for all accounts. Those end by themselves after 5 minutes, or for a network with 1,000
failures a day after at most an hour. It does not stop an attack: the attacker gets new attempts. Password, two-factor and
sessions are not changed. A lifted lock is in the history of the account (actor "operator"); no event is published.`;

export const SESSIONS = `
Shows the sessions that have neither ended nor expired, the latest login first; at most 1,000. "Last active" may be some minutes too
early. A refused session works again when its account is enabled, but not after a password change or an eviction.

An evicted session is refused by the next request, on every gateway. Evicting is in the history (actor "operator"), and an event is
published. The exit status is 1 if the account has no session with this id.

With --json, each line is an object with id, started, lastActive, expires, works, ip, ua and factors. Times are ISO 8601 timestamps.`;

export const KEYS = `
Shows the SSH keys of an account, oldest first; at most 1,000. A removed key is refused by the next look-up. Removing is in the history of
the key ring (actor "operator"), and an event is published. The exit status is 1 if the account has no key with this id.

With --json, each line is an object with id, title, fingerprint, md5Fingerprint, type, bits, comment, added, lastUsed (null for a key that
was never used), expires (null if never) and expired. Times are ISO 8601 timestamps.`;
