/** The protocols over which file servers let accounts in. */
export const fileProtocols = ['sftp', 'webdav', 'ftp'] as const;
/** A way to log in without a session: to files over one of these protocols, or with `web` to the applications behind a web server. */
export type LoginProtocol = (typeof fileProtocols)[number] | 'web';

/** The permission bits of a protocol (wire contract 3.2): to log in and read, and to write. FTP and SFTP share theirs, and `web` has none. */
const BITS: Readonly<Record<Exclude<LoginProtocol, 'web'>, Readonly<{ logIn: number; write: number }>>> = {
  webdav: { logIn: 1 << 8, write: 1 << 9 },
  ftp: { logIn: 1 << 10, write: 1 << 11 },
  sftp: { logIn: 1 << 10, write: 1 << 11 },
};

/** Returns whether an account with this permission may log in and read over the protocol. No role implies it, not even the administrator's. */
export const mayLogInOver = (protocol: LoginProtocol, permission: number): boolean =>
  protocol === 'web' || (permission & BITS[protocol].logIn) !== 0;

/** Returns whether an account with this permission may write over the protocol. File servers may also require the bit of the operation. */
export const mayWriteOver = (protocol: LoginProtocol, permission: number): boolean =>
  protocol !== 'web' && (permission & BITS[protocol].write) !== 0;
