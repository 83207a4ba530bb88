import { LRUCache } from 'lru-cache';
import { createHmac, randomBytes } from 'node:crypto';

/** SFTPGo gives an interactive login 60 seconds. */
const LIFETIME = 60_000;
/** The number of logins whose answers are awaited at the same time. */
const AWAITED = 10_000;

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

/** Keeps the addresses of clients while they type: SFTPGo names the address with its first request only. */
export class PromptedAddresses {
  readonly #byRequest: LRUCache<string, string>;

  /** @param now returns milliseconds of any clock */
  constructor(now: () => number = () => performance.now()) {
    this.#byRequest = new LRUCache({ max: AWAITED, ttl: LIFETIME, ttlResolution: 0, perf: { now } });
  }

  keep(requestId: string, address: string): void {
    this.#byRequest.set(requestId, address);
  }

  /** Returns and forgets the address of a login; undefined if another process has it or the login took too long. */
  take(requestId: string): string | undefined {
    const address = this.#byRequest.get(requestId);
    this.#byRequest.delete(requestId);
    return address;
  }
}

/** The number of stand-ins. SFTPGo stores each, so they are few; the throttle counts by their names, so they are not fewer. */
const STAND_INS = 256;

/**
 * Names users who stand in for those who must not come in. Before its first prompt, SFTPGo asks for a user, and without one it refuses at once,
 * which would reveal the names of accounts to everybody. Which names share a stand-in cannot be predicted.
 */
export class SftpgoStandIns {
  readonly #key = randomBytes(32);

  /** Returns the same stand-in for the same name, until the process ends. */
  nameFor(username: string): string {
    const digest = createHmac('sha256', this.#key).update(username).digest();
    return `keyfold-nobody-${digest.readUInt32BE() % STAND_INS}`;
  }
}
