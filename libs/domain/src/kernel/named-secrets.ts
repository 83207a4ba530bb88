import { DomainError, type DomainErrorCode } from './domain-error.js';

/** A named secret of an account, such as an access token. Times are in unix milliseconds; without `expiresAt`, it never expires. */
export type NamedSecret = Readonly<{ name: string; createdAt: number; expiresAt: number | null }>;

/** The refusals of `requireRoomFor` for one kind of secret. */
export type NamedSecretRefusals = Readonly<{
  expiryInvalid: DomainErrorCode;
  nameTaken: DomainErrorCode;
  limitReached: DomainErrorCode;
}>;

/** Maximum number of secrets of one kind that an account can have. Expired ones make room for new ones. */
export const SECRETS_PER_ACCOUNT = 100;
/** The latest expiry of a secret, in milliseconds after its creation: ten years. */
export const SECRET_LIFETIME = 3_653 * 86_400_000;

/** Returns whether the secret has expired at a time in unix milliseconds. */
export const isSecretExpired = ({ expiresAt }: Pick<NamedSecret, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && now >= expiresAt;

/** Throws the first reason why the secrets have no room for a new one: expiry, name, limit. Names are compared exactly. */
export function requireRoomFor(
  { name, expiresAt, now }: Readonly<{ name: string; expiresAt: number | null; now: number }>,
  secrets: readonly NamedSecret[],
  refusals: NamedSecretRefusals,
): void {
  if (expiresAt !== null && (expiresAt <= now || expiresAt > now + SECRET_LIFETIME)) {
    throw new DomainError(refusals.expiryInvalid);
  }
  const live = secrets.filter((secret) => !isSecretExpired(secret, now));
  if (live.some((secret) => secret.name === name)) throw new DomainError(refusals.nameTaken);
  if (live.length >= SECRETS_PER_ACCOUNT) throw new DomainError(refusals.limitReached);
}

/**
 * Returns the secrets with a new one at the end. Expired ones give way to it: those with its name, and the first to expire of a full list.
 */
export function withNewSecret<Secret extends NamedSecret>(
  secret: Secret,
  secrets: readonly Secret[],
): readonly Secret[] {
  const kept = secrets.filter(({ name }) => name !== secret.name);
  if (kept.length < SECRETS_PER_ACCOUNT) return [...kept, secret];
  const [first] = kept
    .filter((each) => isSecretExpired(each, secret.createdAt))
    .toSorted((a, b) => Number(a.expiresAt) - Number(b.expiresAt));
  return [...kept.filter((each) => each !== first), secret];
}
