import { isSecretExpired, type NamedSecret } from '@keyfold/domain';

type StoredSecret = NamedSecret & Readonly<{ hash: string }>;

/** A secret as lists show it, without its hash. `lastUsedAt` is in unix seconds, possibly some minutes too early. */
export type ListedSecret<Secret extends StoredSecret> = Readonly<
  Omit<Secret, 'hash'> & { lastUsedAt: number | undefined; isExpired: boolean }
>;

/** Returns the list entry of a secret. `now` is in unix milliseconds. */
export function listedSecret<Secret extends StoredSecret>(
  { hash: _hash, ...secret }: Secret,
  lastUsedAt: number | undefined,
  now: number,
): ListedSecret<Secret> {
  return { ...secret, lastUsedAt, isExpired: isSecretExpired(secret, now) };
}
