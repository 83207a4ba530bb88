import { STAND_IN_PREFIX } from '@keyfold/domain';
import { LRUCache } from 'lru-cache';
import { createHmac, randomBytes } from 'node:crypto';

/** SFTPGo gives an interactive login 60 seconds. */
export const LIFETIME = 60_000;
/** The number of logins whose answers are awaited at the same time. */
export const AWAITED = 10_000;

/**
 * The questions of an interactive login. Both come at once: the answer to the password alone would tell whether it was right, and Keyfold would
 * have to keep it until the code arrives. Zero means that the login is not finished.
 */
export const QUESTIONS = {
  instruction: '',
  questions: ['Password: ', 'One-time code (empty without two-factor): '],
  echos: [false, false],
  check_password: 0,
  auth_result: 0,
} as const;

/** Ends an interactive login. */
export const RESULTS = { accepted: { auth_result: 1 }, refused: { auth_result: -1 } } as const;

/** The client of an interactive login: its address, and the name that it gave. */
export type Prompted = Readonly<{ address: string; username: string }>;

/** Keeps the clients that are typing: SFTPGo names the address with its first request only, and a stand-in instead of the name. */
export class PromptedLogins {
  readonly #byRequest: LRUCache<string, Prompted>;

  /** @param now returns milliseconds of any clock */
  constructor(now: () => number = () => performance.now()) {
    this.#byRequest = new LRUCache<string, Prompted>(limitsOf(AWAITED, now));
  }

  keep(requestId: string, prompted: Prompted): void {
    this.#byRequest.set(requestId, prompted);
  }

  /** Returns and forgets the client of a login; undefined if another process has it or the login took too long. */
  take(requestId: string): Prompted | undefined {
    const prompted = this.#byRequest.get(requestId);
    this.#byRequest.delete(requestId);
    return prompted;
  }
}

type Waiting = Prompted & Readonly<{ standIn: string }>;

/** The number of stand-ins. SFTPGo stores each, so they are few. */
const STAND_INS = 256;
/** The number of names that wait for their first prompt. SFTPGo asks for it at once. */
const WAITING = 1_000;

/**
 * Names users who stand in for those who must not come in. Before its first prompt, SFTPGo asks for a user, and without one it refuses at once,
 * which would reveal the names of accounts to everybody. Which names share a stand-in cannot be predicted.
 */
export class SftpgoStandIns {
  readonly #key = randomBytes(32);
  readonly #waiting: LRUCache<number, Waiting>;
  #last = 0;

  /** @param now returns milliseconds of any clock */
  constructor(now: () => number = () => performance.now()) {
    this.#waiting = new LRUCache<number, Waiting>(limitsOf(WAITING, now));
  }

  /** Returns the stand-in of a name, which stays the same until the process ends, and keeps the name for the prompt that follows. */
  standInFor({ username, address }: Prompted): string {
    const digest = createHmac('sha256', this.#key).update(username).digest();
    const standIn = `${STAND_IN_PREFIX}${digest.readUInt32BE() % STAND_INS}`;
    this.#waiting.set(++this.#last, { username, address, standIn });
    return standIn;
  }

  /**
   * Returns and forgets the name for which a user was asked from this address. For a stand-in, it is the latest of those that still wait, so
   * that each attempt counts once. Every other user has a name of its own.
   */
  nameBehind(user: string, address: string): string {
    if (!user.startsWith(STAND_IN_PREFIX)) return user;
    for (const [id, each] of this.#waiting.entries()) {
      if (each.standIn !== user || each.address !== address) continue;
      this.#waiting.delete(id);
      return each.username;
    }
    return user;
  }
}

/** The letters that a cache keeps: strangers choose the names. */
export const MOST_LETTERS = 4 * 1024 * 1024;

const limitsOf = (max: number, now: () => number) => ({
  max,
  maxSize: MOST_LETTERS,
  // A cache needs a size of at least 1.
  sizeCalculation: ({ username, address }: Prompted) => username.length + address.length + 1,
  ttl: LIFETIME,
  ttlResolution: 0,
  perf: { now },
});
