import type { Account } from '@keyfold/domain';
import { LRUCache } from 'lru-cache';
import { createHmac, randomBytes } from 'node:crypto';

/** How long a checked password is remembered (milliseconds), and how many are. */
const REMEMBERED = 60_000;
const MAX_LOGINS = 10_000;

/** A name and a password as a client sent them, and its address. */
export type BasicLogin = Readonly<{ username: string; password: string; address: string }>;

/** The fields on which the check of a password depended. */
const CHECKED = [
  'status',
  'username',
  'sealedPasswordHash',
  'generation',
  'disabled',
  'permission',
  'twoFactor',
] as const;
type Checked = Pick<Account, (typeof CHECKED)[number]>;

/**
 * Remembers which passwords were right, so that a WebDAV client with a request for each file does not wait for a hash each time. The account decides
 * whether a right password opens WebDAV. Other addresses learn nothing: their guesses are throttled.
 */
export class RememberedLogins {
  readonly #key = randomBytes(32);
  readonly #checked: LRUCache<string, Account>;

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#checked = new LRUCache({ max: MAX_LOGINS, ttl: REMEMBERED, perf: { now }, ttlResolution: 0 });
  }

  /** Keeps the account as it was when the password was checked. */
  add(login: BasicLogin, account: Account): void {
    this.#checked.set(this.keyOf(login), account);
  }

  /** Returns the account whose password this was at most a minute ago. Load it, and ask `holds`. */
  accountOf(login: BasicLogin): number | undefined {
    return this.#checked.get(this.keyOf(login))?.accountId;
  }

  /** Returns whether nothing has changed that the check depended on. Forgets the login otherwise. */
  holds(login: BasicLogin, now: Checked): boolean {
    const digest = this.keyOf(login);
    const then = this.#checked.get(digest);
    if (then && CHECKED.every((field) => isSame(then[field], now[field]))) return true;
    this.#checked.delete(digest);
    return false;
  }

  /** Returns a key that reveals neither name nor password. The length keeps them apart. */
  keyOf({ username, password, address }: BasicLogin): string {
    const text = `${address} ${username.length}:${username}${password}`;
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/** An object is replaced when it changes, but folding may copy it. */
const isSame = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);
