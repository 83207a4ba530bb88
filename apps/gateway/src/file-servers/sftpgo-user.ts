import { mayLogInOver, mayWriteOver, type LoginProtocol } from '@keyfold/domain';
import { posix } from 'node:path';

/** A user in the format of SFTPGo 2.6 and later. */
export type SftpgoUser = Readonly<{
  /** 1: may log in; 0: may not. */
  status: 0 | 1;
  username: string;
  home_dir: string;
  permissions: Readonly<{ '/': readonly string[] }>;
  filters: Readonly<{ denied_protocols: readonly string[]; denied_login_methods: readonly string[] }>;
}>;

/** The protocols of SFTPGo over which accounts come in. Its web client (`HTTP`) has no permission bit. */
const PROTOCOLS: ReadonlyMap<string, LoginProtocol> = new Map([
  ['SSH', 'sftp'],
  ['FTP', 'ftp'],
  ['DAV', 'webdav'],
]);

/** SFTPGo lists open sessions under these names as well. */
const SESSION_PROTOCOLS: ReadonlyMap<string, LoginProtocol> = new Map([
  ...PROTOCOLS,
  ['SFTP', 'sftp'],
  ['SCP', 'sftp'],
]);

/** SFTPGo would check a certificate by itself, against the stored user. */
const CERTIFICATE_LOGINS = ['TLSCertificate', 'TLSCertificate+password'];

/** The actions before which SFTPGo can ask. After `pre-delete`, some of its versions expect that the hook has deleted the file. */
export const TRANSFERS = ['pre-download', 'pre-upload'] as const;
export type Transfer = (typeof TRANSFERS)[number];

/** Permission bit 3: create folders and upload. */
const UPLOAD = 1 << 3;

/**
 * The permissions for each operation bit (wire contract 3.2). SFTPGo does not tell a rename from a move, so `rename` takes the bits of both. Nobody
 * may create links or change modes and owners: no bit stands for it.
 */
const OPERATIONS: readonly (readonly [bits: number, permissions: readonly string[]])[] = [
  [UPLOAD, ['upload', 'overwrite', 'create_dirs', 'chtimes']],
  [(1 << 4) | (1 << 5), ['rename']],
  [1 << 6, ['copy']],
  [1 << 7, ['delete']],
];

/** Returns the protocol of a login; undefined for the web client and for unknown ones. */
export const protocolOfLogin = (name: string): LoginProtocol | undefined => PROTOCOLS.get(name);

/** Returns the protocol of an open session; undefined for those of the web client and for unknown ones. */
export const protocolOfSession = (name: string): LoginProtocol | undefined => SESSION_PROTOCOLS.get(name);

/**
 * Returns the folder of an account below the root of the site, without `.`, `..` and a final slash. Returns undefined if no folder can have
 * this path: it leaves the root or contains a NUL, which ends a path for the system.
 */
export function homeOf(root: string, basePath: string): string | undefined {
  const home = posix.join(root, basePath).replace(/\/$/, '');
  const isBelow = home === root || home.startsWith(`${root}/`);
  return isBelow && !home.includes('\0') ? home : undefined;
}

/** Letters that SFTPGo accepts in no name: those that Windows refuses in a file name, and invisible ones. */
const REFUSED_LETTERS = /[\\/:*?"<>|\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Names that SFTPGo does not accept, such as those of Windows' devices, with any ending, or that it trims, as `keyfold.env` tells it to. */
const REFUSED_NAMES = /^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)|^__(self|system)__$|^\s|[\s.]$/i;

/** Returns whether SFTPGo 2.7.3 and later accept the name of a user (`IsNameValid` there). 2.7.1 refuses some of these, and 2.6 few. */
export const isNameForSftpgo = (name: string): boolean =>
  Buffer.byteLength(name) <= 255 && !REFUSED_LETTERS.test(name) && !REFUSED_NAMES.test(name);

/** Returns the user that lets an account in over a protocol. The right to write is that of this protocol. */
export function sftpgoUser(
  { username, permission }: Readonly<{ username: string; permission: number }>,
  home: string,
  protocol: LoginProtocol,
): SftpgoUser {
  const operations = mayWriteOver(protocol, permission)
    ? OPERATIONS.filter(([bits]) => (permission & bits) === bits).flatMap(([, permissions]) => permissions)
    : [];
  const denied = [...PROTOCOLS].filter(([, each]) => !mayLogInOver(each, permission)).map(([name]) => name);
  return {
    status: 1,
    username,
    home_dir: home,
    permissions: { '/': ['list', 'download', ...operations] },
    filters: { denied_protocols: [...denied, 'HTTP'], denied_login_methods: CERTIFICATE_LOGINS },
  };
}

/** Returns whether an account with this permission may start a transfer in an open session. `sessionProtocol` is SFTPGo's name of the protocol. */
export function mayTransfer(action: Transfer, sessionProtocol: string, permission: number): boolean {
  const protocol = protocolOfSession(sessionProtocol);
  if (protocol === undefined || !mayLogInOver(protocol, permission)) return false;
  return action === 'pre-download' || (mayWriteOver(protocol, permission) && (permission & UPLOAD) !== 0);
}

/** Returns a user whom SFTPGo asks for a password, but never admits. */
export const lockedOutUser = (username: string, root: string): SftpgoUser => ({
  status: 0,
  username,
  home_dir: root,
  permissions: { '/': ['list'] },
  filters: { denied_protocols: ['FTP', 'DAV', 'HTTP'], denied_login_methods: CERTIFICATE_LOGINS },
});
