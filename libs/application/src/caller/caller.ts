import {
  DomainError,
  grantsScope,
  requireNoAdmin,
  ROLE_ADMIN,
  ROLE_GUEST,
  type AccessToken,
  type AccessTokenScope,
  type Account,
  type CallerProof,
  type DomainErrorCode,
  type SshKeyRing,
  type SshKeyUse,
} from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import type { CommandContext, CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';

/** The SSH keys of an account and when each was last used. */
export type SshKeysAndUse = Readonly<{ ring: SshKeyRing; use: SshKeyUse }>;

/** The data to load about a caller, in one round trip. `ring` adds the SSH keys for a change to them, `keys` adds their uses, too. */
export type CallerPart = 'account' | 'ring' | 'keys';

/**
 * The account on whose behalf a request is made. `accessToken` is set if the request has one, `keys` if the route asked for the part
 * `keys`. `static-token` is the static token.
 */
export type Caller = Readonly<{
  account: Account;
  /** The version of the stream of the account. */
  accountVersion: number;
  by: 'session' | 'guest' | 'static-token' | 'access-token';
  sessionId?: string;
  /** When the session of the caller started, in unix seconds. */
  loggedInAt?: number;
  accessToken?: AccessToken;
  keys?: SshKeysAndUse;
}>;

/** A caller who was identified with the part `keys`. */
export type CallerWithKeys = Caller & Readonly<{ keys: SshKeysAndUse }>;

export const hasKeysLoaded = (caller: Caller): caller is CallerWithKeys => caller.keys !== undefined;

/** Returns whether the caller is the guest, either without a login or logged in as the guest. */
export const isGuest = ({ account }: Caller) => account.role === ROLE_GUEST;

export const isAdmin = ({ account }: Caller) => account.role === ROLE_ADMIN;

export function requireAdmin(caller: Caller): void {
  if (!isAdmin(caller)) throw new DomainError('not-an-admin');
}

/** Throws this refusal if the caller is the guest: everybody may use that account, so nobody may see or change what others did with it. */
export function refuseGuest(caller: Caller, refusal: Extract<DomainErrorCode, `guest-has-no-${string}`>): void {
  if (isGuest(caller)) throw new DomainError(refusal);
}

/**
 * Throws `access-token-scope-missing` if the caller has an access token without this scope, and `access-token-not-accepted` if there is no
 * scope for what it asks. Accepts every other caller.
 */
export function requireScope({ accessToken }: Caller, scope: AccessTokenScope | undefined): void {
  if (!accessToken) return;
  if (!scope) throw new DomainError('access-token-not-accepted');
  if (!grantsScope(accessToken.scopes, scope)) throw new DomainError('access-token-scope-missing', { quoted: scope });
}

/**
 * Returns whether the caller may see the values of secret settings. An access token may not: with the static token, which is among them, its
 * scopes would limit nothing.
 */
export const maySeeSecrets = ({ by }: Administrator): boolean => by !== 'access-token';

/** Returns what the decider checks again. The static token and access tokens depend on no session. */
export const proofOf = ({ account, by, sessionId }: Caller): CallerProof =>
  by === 'static-token' || by === 'access-token' ? {} : { generation: account.generation, session: sessionId };

/** The operator of the service, who uses the command `keyfold` and needs no account. */
export const operator = { by: 'operator' } as const;
/** A caller with the rights of an administrator. */
export type Administrator = Caller | typeof operator;

/** Returns the name by which commits refer to the caller. That of an access token ends with its id. */
export function actorOf(caller: Administrator): string {
  if (caller.by === 'operator') return caller.by;
  const actor = `${caller.by}:${caller.account.accountId}`;
  return caller.accessToken ? `${actor}:${caller.accessToken.id}` : actor;
}

/** Returns the context in which the caller's command runs. */
export const contextOf = (caller: Administrator, origin: Origin): CommandContext => ({
  actor: actorOf(caller),
  ...origin,
});

/**
 * Throws `admin-unchangeable-by-token` if an access token is used to change the account of an administrator. Otherwise a token that manages
 * accounts could take over an administrator, who may do more. A role never changes, so the check cannot be overtaken.
 */
export async function protectAdmins(caller: Administrator, accountId: number, runner: CommandRunner): Promise<void> {
  if (caller.by === 'access-token') await runner.check(accountStream(accountId), requireNoAdmin);
}
