/** Turns static hashes into stored password hashes and compares them. Also the injection token of what does it. */
export abstract class PasswordHasher {
  /** Hashes that wait and that are being computed now, and how many were not taken on since the start. */
  abstract readonly waiting: number;
  abstract readonly running: number;
  abstract readonly refused: number;

  /** A self-describing text (PHC format), different at every call. Throws `HashQueueFull`. */
  abstract hash(staticHash: string, asker?: HashAsker): Promise<string>;
  /** False also for a stored hash that cannot be read. Throws `HashQueueFull`. */
  abstract verify(staticHash: string, passwordHash: string, asker?: HashAsker): Promise<boolean>;
}

/**
 * For whom a hash is made, from the widest group to the narrowest, as in `known`, `203.0.113.0/24`, `203.0.113.9`. Groups of one level
 * have their turns one after the other, so nobody waits for all that another group has asked for. Empty: the service itself.
 */
export type HashAsker = readonly string[];

/** So many hashes wait that this one is not taken on, or gave its place to somebody who has fewer. */
export class HashQueueFull extends Error {
  override readonly name = 'HashQueueFull';

  /** `retryAfterSeconds`: whole seconds, at least 1, until the hashes that wait now are done; a guess where one client's are counted. */
  constructor(readonly retryAfterSeconds = 5) {
    super(`too many password hashes are waiting; try again in ${retryAfterSeconds} s`);
  }
}
