import { randomBytes } from 'node:crypto';
import type { PasswordHasher } from './password-hasher.js';
import { staticHash } from './static-hash.js';

/**
 * Returns a hash that no known password matches: that of a discarded random password. Verifying it takes as long as verifying the hash of an
 * account, so that the duration of a login does not reveal whether the account exists (ASVS 5, 6.3.8).
 */
export function dummyHash(hasher: PasswordHasher): Promise<string> {
  return hasher.hash(staticHash(randomBytes(32).toString('base64url')));
}
