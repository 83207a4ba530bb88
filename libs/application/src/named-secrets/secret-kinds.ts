import {
  DomainError,
  isAdminScope,
  isSecretExpired,
  type AccessToken,
  type AppPassword,
  type CreateSecret,
  type NamedSecret,
  type NamedSecrets,
  type RevokeAllSecrets,
  type RevokeSecret,
  type SecretKindName,
} from '@keyfold/domain';
import {
  accessTokens,
  accessTokensStream,
  appPasswords,
  appPasswordsStream,
  type ReadModel,
  type StreamRef,
} from '@keyfold/projections';
import { accessTokenText, newAccessTokenSecret, newAppPassword } from '@keyfold/security';
import { isAdmin, refuseGuest, type Caller } from '../caller/caller.js';
import type { TokenActivity } from '../caller/token-activity.js';

type Secrets<Details> = NamedSecrets<NamedSecret & Details>;

/** Describes a kind of named secret: its streams, its commands and who may have it. `Details` are the fields that only this kind has. */
export type SecretKind<Details> = Readonly<{
  name: SecretKindName;
  /** Lists the accounts that have at least one. */
  model: ReadModel<Secrets<Details>>;
  streamOf(accountId: number): StreamRef<Secrets<Details>, (CreateSecret & Details) | RevokeSecret | RevokeAllSecrets>;
  commands: Readonly<{ create: `Create${string}`; revoke: `Revoke${string}` }>;
  /** Throws unless the caller can have such secrets and use the routes for their own. */
  requireOwner(caller: Caller): void;
  requireMayCreate(caller: Caller, details: Details): void;
  /** Generates a secret. Its text contains the id of the access token, and is not stored. */
  generate(): Readonly<{ hash: string; textOf(id: number): string }>;
}>;

/** @throws `guest-has-no-tokens`; for a creation also `session-required` or `access-token-scope-of-admins`. */
export const accessTokenKind: SecretKind<Pick<AccessToken, 'scopes'>> = {
  name: 'access-token',
  model: accessTokens,
  streamOf: accessTokensStream,
  commands: { create: 'CreateAccessToken', revoke: 'RevokeAccessToken' },
  requireOwner(caller) {
    refuseGuest(caller, 'guest-has-no-tokens');
  },
  requireMayCreate(caller, { scopes }) {
    if (caller.by !== 'session') throw new DomainError('session-required');
    const refused = isAdmin(caller) ? undefined : scopes.find(isAdminScope);
    if (refused) throw new DomainError('access-token-scope-of-admins', { quoted: refused });
  },
  generate() {
    const { secret, hash } = newAccessTokenSecret();
    return { hash, textOf: (id) => accessTokenText(id, secret) };
  },
};

/** @throws `guest-has-no-app-passwords` or `app-password-session-required`. */
export const appPasswordKind: SecretKind<Pick<AppPassword, 'protocol'>> = {
  name: 'app-password',
  model: appPasswords,
  streamOf: appPasswordsStream,
  commands: { create: 'CreateAppPassword', revoke: 'RevokeAppPassword' },
  requireOwner(caller) {
    refuseGuest(caller, 'guest-has-no-app-passwords');
    if (caller.by !== 'session') throw new DomainError('app-password-session-required');
  },
  requireMayCreate() {},
  generate() {
    const { text, hash } = newAppPassword();
    return { hash, textOf: () => text };
  },
};

/** A secret as lists show it, without its hash. `lastUsedAt` is in unix seconds, possibly some minutes too early. */
export type ListedSecret<Details> = Readonly<
  Omit<NamedSecret & Details, 'hash'> & { lastUsedAt: number | undefined; isExpired: boolean }
>;

/** Returns the list entry of a secret. `now` is in unix milliseconds. */
export function listedSecret<Details>(
  { hash: _hash, ...secret }: NamedSecret & Details,
  lastUsedAt: number | undefined,
  now: number,
): ListedSecret<Details> {
  return { ...secret, lastUsedAt, isExpired: isSecretExpired(secret, now) };
}

/** Returns the list entries of secrets of one kind. `now` is in unix milliseconds. */
export async function listSecrets<Details>(
  { name }: SecretKind<Details>,
  secrets: readonly (NamedSecret & Details)[],
  activity: TokenActivity,
  now: number,
): Promise<ListedSecret<Details>[]> {
  const lastUses = await activity.lastUsesOfSecrets(name, secrets);
  return secrets.map((secret) => listedSecret(secret, lastUses.get(secret.id), now));
}
