import { hash, randomBytes } from 'node:crypto';

/**
 * Turns static hashes into stored password hashes and verifies them. Also the injection token of its implementation.
 *
 * @throws `HashQueueFull` from each method.
 */
export abstract class PasswordHasher {
  /** The numbers of hashes that wait and that are being computed, and how many were refused since the start. */
  abstract readonly waiting: number;
  abstract readonly running: number;
  abstract readonly refused: number;

  /** Returns a password hash in PHC format, different at each call. */
  abstract hash(staticHash: string, groups?: HashGroups): Promise<string>;
  /** Like `hash`, for a signed-in `actor`, who has one hash in the queue at a time. */
  abstract hashFor(actor: string, staticHash: string): Promise<string>;
  /** Returns whether the static hash matches a stored hash; false for one that cannot be parsed. */
  abstract verify(staticHash: string, passwordHash: string, groups?: HashGroups): Promise<boolean>;
}

/**
 * The groups that a hash is computed for, from the widest to the narrowest, such as `known`, `203.0.113.0/24`, `203.0.113.9`. Groups of one
 * level take turns, so that no client waits for all hashes of another one. Empty for the service itself.
 */
export type HashGroups = readonly string[];

/** The queue of hashes is full, and this hash was refused or dropped in favour of a client with fewer. */
export class HashQueueFull extends Error {
  override readonly name = 'HashQueueFull';

  /** `retryAfterSeconds`: whole seconds, at least 1, until the present queue is drained. The default is an estimate for queues of one client. */
  constructor(readonly retryAfterSeconds = 5) {
    super(`too many password hashes are waiting: retry in ${retryAfterSeconds} s`);
  }
}

/**
 * Returns the static hash of a password, which clients may send instead (wire contract 2.1): the lower-case hex SHA-256 of its UTF-8 and a
 * fixed suffix. It opens the account like the password itself, so never log it and never store it in plain.
 */
export function staticHash(password: string): string {
  // Unpaired surrogates stand for malformed UTF-8. Encoded as UTF-8, they would all become U+FFFD.
  const text = password + SUFFIX;
  return hash('sha256', text.isWellFormed() ? text : Buffer.from(text, 'utf16le'), 'hex');
}

// compat: the URL of the project that OpenList was forked from. It is built into every client.
const SUFFIX = '-https://github.com/alist-org/alist';

/**
 * Returns the hash of a discarded random password. Verifying it takes as long as verifying the hash of an account, so that the duration of a
 * login does not reveal whether the account exists (ASVS 5, 6.3.8).
 */
export function dummyHash(hasher: PasswordHasher): Promise<string> {
  return hasher.hash(staticHash(randomBytes(32).toString('base64url')));
}
