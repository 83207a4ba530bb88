import { hash } from 'node:crypto';
import type { PasswordHasher } from './password-hasher.js';

/** `openlist$<salt>` and an argon2id hash. A salt may contain any character. */
const WRAPPED = /^openlist\$(.*)(\$argon2id\$.*)$/s;

/** A password hash of the original: the lower-case hex SHA-256 of `<static hash>-<salt>`. */
export type OpenlistHash = Readonly<{ hash: string; salt: string }>;

/** Returns the hash that the original stores. Never store it: a single SHA-256 can be guessed quickly. */
export const openlistHashOf = (staticHash: string, salt: string): string =>
  hash('sha256', `${staticHash}-${salt}`, 'hex');

/** Wraps a password hash of the original in argon2id. `PasswordHasher.verify` accepts the result. */
export const wrapOpenlistHash = async (
  { hash: original, salt }: OpenlistHash,
  hasher: PasswordHasher,
): Promise<string> => `openlist$${salt}${await hasher.hash(original)}`;

/** Returns whether a stored hash wraps one of the original, and should be replaced when the password is known. */
export const isWrapped = (passwordHash: string): boolean => WRAPPED.test(passwordHash);

/** Returns the argon2id hash within a stored hash, and the text that it must match. */
export function unwrap(staticHash: string, passwordHash: string): Readonly<{ text: string; argon2: string }> {
  const [, salt, argon2] = WRAPPED.exec(passwordHash) ?? [];
  if (salt === undefined || argon2 === undefined) return { text: staticHash, argon2: passwordHash };
  return { text: openlistHashOf(staticHash, salt), argon2 };
}
