import { randomBytes } from 'node:crypto';
import type { PasswordHasher } from './password-hasher.js';
import { staticHash } from './static-hash.js';

/**
 * A stored hash that no password fits: the hash of a random password that is forgotten here. Verifying against it costs what an
 * account's hash costs, so that the time of a login does not tell whether the account exists (ASVS 5, 6.3.8).
 */
export function dummyHash(hasher: PasswordHasher): Promise<string> {
  return hasher.hash(staticHash(randomBytes(32).toString('base64url')));
}
