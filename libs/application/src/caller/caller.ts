import {
  DomainError,
  ROLE_ADMIN,
  ROLE_GUEST,
  type Account,
  type CallerProof,
  type SshKeyRing,
  type SshKeyUse,
} from '@keyfold/domain';

/** The SSH keys of an account and when each was last used. */
export type SshKeysAndUse = Readonly<{ ring: SshKeyRing; use: SshKeyUse }>;

/** The account on whose behalf a request is made. `keys` is set if the route asked for the scope `keys`. */
export type Caller = Readonly<{
  account: Account;
  by: 'session' | 'guest' | 'api-token';
  sessionId?: string;
  keys?: SshKeysAndUse;
}>;

/** A caller who was identified with the scope `keys`. */
export type CallerWithKeys = Caller & Readonly<{ keys: SshKeysAndUse }>;

/** Returns whether the caller was identified with the scope `keys`. */
export const hasKeysLoaded = (caller: Caller): caller is CallerWithKeys => caller.keys !== undefined;

/** Returns whether the caller is the guest, either without a login or logged in as the guest. */
export const isGuest = ({ account }: Caller) => account.role === ROLE_GUEST;

/** Throws `not-an-admin` unless the caller is an administrator. */
export function requireAdmin({ account }: Caller): void {
  if (account.role !== ROLE_ADMIN) throw new DomainError('not-an-admin');
}

/** Throws `guest-has-no-keys` if the caller is the guest. */
export function requireKeyHolder(caller: Caller): void {
  if (isGuest(caller)) throw new DomainError('guest-has-no-keys');
}

/** Throws `guest-has-no-sessions` if the caller is the guest: everybody may use that account, so nobody may see or end its sessions. */
export function requireSessionHolder(caller: Caller): void {
  if (isGuest(caller)) throw new DomainError('guest-has-no-sessions');
}

/** Throws `guest-has-no-history` if the caller is the guest: everybody may use that account, so nobody may see what others did with it. */
export function requireHistoryHolder(caller: Caller): void {
  if (isGuest(caller)) throw new DomainError('guest-has-no-history');
}

/** Returns what the decider checks again. The static token depends on no session. */
export const proofOf = ({ account, by, sessionId }: Caller): CallerProof =>
  by === 'api-token' ? {} : { credential: account.credential, session: sessionId };

/** The operator of the service, who uses the command `keyfold` and needs no account. */
export const operator = { by: 'operator' } as const;
/** A caller with the rights of an administrator. */
export type Administrator = Caller | typeof operator;

/** Returns the name by which commits refer to the caller. */
export const actorOf = (caller: Administrator) =>
  caller.by === 'operator' ? caller.by : `${caller.by}:${caller.account.accountId}`;
