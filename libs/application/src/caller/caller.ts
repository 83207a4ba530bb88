import { DomainError, ROLE_ADMIN, ROLE_GUEST, type Account, type SshKeyRing, type SshKeyUse } from '@keyfold/domain';

/** The keys of an account and their last use, as an answer shows them. */
export type ShownKeys = Readonly<{ ring: SshKeyRing; use: SshKeyUse }>;

/** Who a request speaks for; `keys` are there when the route shows them. */
export type Caller = Readonly<{
  account: Account;
  by: 'session' | 'guest' | 'api-token';
  sessionId?: string;
  keys?: ShownKeys;
}>;

/** Whether the account is the guest, be it that nobody logged in or that somebody logged in as it. */
export const isGuest = ({ account }: Caller) => account.role === ROLE_GUEST;

/** Throws `not-an-admin`. */
export function requireAdmin({ account }: Caller): void {
  if (account.role !== ROLE_ADMIN) throw new DomainError('not-an-admin');
}

/** Throws `guest-has-no-keys`. */
export function requireKeyHolder(caller: Caller): void {
  if (isGuest(caller)) throw new DomainError('guest-has-no-keys');
}

/** What the account must still be like when the caller's command is decided; the static token outlives passwords. */
export const credentialOf = ({ account, by }: Caller) => (by === 'api-token' ? undefined : account.credential);

/** Whoever runs the service, by the command `keyfold`; no account stands behind it. */
export const operator = { by: 'operator' } as const;
/** Who may do what administrators do. */
export type Administrator = Caller | typeof operator;

/** How the one who wants a change is named in commits. */
export const actorOf = (caller: Administrator) =>
  caller.by === 'operator' ? caller.by : `${caller.by}:${caller.account.accountId}`;
