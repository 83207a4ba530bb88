import {
  appPasswordKey,
  keysOfAccount,
  knownSourceKey,
  loginKeysOf,
  MONTH,
  SETUP_KEY,
  setupKeysOf,
  type LoginAttempt,
  type LoginKey,
  type Standing,
} from './login-keys.js';
import type { Admission, ThrottleStore } from './throttle-store.js';

/** After this many consecutive wrong one-time codes, the client must know the password (NIST SP 800-63B 3.2.2). */
export const CODE_FAILURES_BEFORE_LOCK = 100;

/**
 * An admitted attempt. `isKnown`: its device or source logged in to the account within the last 30 days. `failures`: consecutive
 * wrong codes from unknown sources, this one included; 0 for passwords and known sources.
 */
export type CountedAttempt = Readonly<{
  login: LoginAttempt;
  isKnown: boolean;
  failures: number;
  keys: readonly LoginKey[];
}>;
export type LoginAdmission =
  Readonly<{ admitted: true; counted: CountedAttempt }> | Readonly<{ admitted: false; retryAfterSeconds: number }>;

/** Limits how often passwords and codes can be guessed. The two factors are counted separately, by the rules of `login-keys.ts`. */
export class LoginThrottle {
  constructor(
    private readonly store: ThrottleStore,
    private readonly now: () => number,
  ) {}

  /** Counts the attempt before it is checked, or refuses it. */
  async admit(login: LoginAttempt): Promise<LoginAdmission> {
    const standing = await this.#standingOf(login);
    const first = await this.#count(login, standing);
    if (first.admitted || standing !== 'new') return first;
    // The network has used its first attempts, so it now shares a limit with all others.
    const later = await this.#count(login, 'stranger');
    if (later.admitted) return later;
    return { admitted: false, retryAfterSeconds: Math.min(first.retryAfterSeconds, later.retryAfterSeconds) };
  }

  /** Returns for how many seconds `admit` would refuse a code, or 0. Counts nothing. */
  async secondsBlocked(login: LoginAttempt): Promise<number> {
    return this.store.secondsBlocked(loginKeysOf(login, await this.#standingOf(login)), this.now());
  }

  /** Returns for how many seconds a source may look up no app password, or 0. Counts nothing. */
  secondsUntilLookUp(address: string): Promise<number> {
    return this.store.secondsBlocked([appPasswordKey(address)], this.now());
  }

  /** Counts a text in the form of an app password that the account does not know. Returns for how many seconds it is refused, or 0. */
  async countUnknownAppPassword(address: string): Promise<number> {
    const admission = await this.store.admit([appPasswordKey(address)], this.now());
    return admission.admitted ? 0 : admission.retryAfterSeconds;
  }

  /** Undoes `countUnknownAppPassword`, because the text was the password of the account. */
  refundUnknownAppPassword(address: string): Promise<void> {
    return this.store.apply({ refund: [appPasswordKey(address).key] });
  }

  /** Returns whether so many setup codes were wrong that none is accepted any more. */
  async isSetupBlocked(): Promise<boolean> {
    return (await this.store.secondsBlocked([SETUP_KEY], this.now())) > 0;
  }

  /** Counts a setup code before it is checked, or refuses it. */
  admitSetupCode(address: string): Promise<Admission> {
    return this.store.admit(setupKeysOf(address), this.now());
  }

  /** Undoes `admitSetupCode`, because the code was right. */
  refundSetupCode(address: string): Promise<void> {
    return this.store.apply({ refund: setupKeysOf(address).map(({ key }) => key) });
  }

  async isKnown(login: LoginAttempt): Promise<boolean> {
    return login.device !== undefined || this.store.isRemembered(knownSourceKey(login), this.now());
  }

  /** Clears the failures of the source after a right password or code, and remembers the source as known for 30 days. */
  recordSuccess({ login, keys }: CountedAttempt): Promise<void> {
    return this.store.apply({
      reset: keys.filter(({ resetBySuccess }) => resetBySuccess).map(({ key }) => key),
      refund: keys.filter(({ resetBySuccess }) => !resetBySuccess).map(({ key }) => key),
      remember: { key: knownSourceKey(login), until: this.now() + MONTH },
    });
  }

  /** Undoes the count of an attempt that could not be checked. */
  refund({ keys }: CountedAttempt): Promise<void> {
    return this.store.apply({ refund: keys.map(({ key }) => key) });
  }

  /** Undoes the count of an attempt that met a full hash queue: it was no guess, but it still counts as a request of its source. */
  refundGuess({ keys }: CountedAttempt): Promise<void> {
    return this.store.apply({ refund: keys.filter(({ limitsRequests }) => !limitsRequests).map(({ key }) => key) });
  }

  /**
   * Lifts the blocks of an account for one factor and forgets its failures. Known sources stay known, and the limits of a source or network
   * for all accounts stay. Returns how many keys were blocked.
   */
  unblock(factor: LoginAttempt['factor'], account: string): Promise<number> {
    return this.store.forgetAll(keysOfAccount(factor, account), this.now());
  }

  async #standingOf(login: LoginAttempt): Promise<Standing> {
    if (login.device !== undefined) return 'device';
    return (await this.isKnown(login)) ? 'known' : 'new';
  }

  async #count(login: LoginAttempt, standing: Standing): Promise<LoginAdmission> {
    const keys = loginKeysOf(login, standing);
    const admission = await this.store.admit(keys, this.now());
    if (!admission.admitted) return admission;
    const isKnown = standing === 'device' || standing === 'known';
    return { admitted: true, counted: { login, isKnown, failures: admission.failures.at(-1) ?? 0, keys } };
  }
}
