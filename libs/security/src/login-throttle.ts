import { keysOf, knownKey, MONTH, type LoginKey, type LoginTry, type Standing } from './login-keys.js';
import type { ThrottleStore } from './throttle.js';

export type { LoginTry } from './login-keys.js';

/** From this many wrong one-time codes in a row on, whoever tries them knows the password (NIST SP 800-63B 3.2.2). */
export const CODE_FAILURES_BEFORE_LOCK = 100;

/**
 * A try that was counted. `isKnown`: it comes from a device or a source that logged in to the account in the last 30 days. `failures`:
 * wrong codes of unknown sources in a row, this one included, else 0.
 */
export type CountedTry = Readonly<{ login: LoginTry; isKnown: boolean; failures: number; keys: readonly LoginKey[] }>;
export type LoginAdmission =
  Readonly<{ admitted: true; counted: CountedTry }> | Readonly<{ admitted: false; retryAfterSeconds: number }>;

/** Bounds how often passwords and codes can be guessed; the two factors are counted apart. What is counted says `login-keys.ts`. */
export class LoginThrottle {
  constructor(
    private readonly store: ThrottleStore,
    private readonly now: () => number,
  ) {}

  /** Counts the try before it is checked, or refuses it. */
  async take(login: LoginTry): Promise<LoginAdmission> {
    const standing = await this.#standingOf(login);
    const first = await this.#count(login, standing);
    if (first.admitted || standing !== 'new') return first;
    // A network whose first tries are used up shares places with all others.
    const later = await this.#count(login, 'strange');
    if (later.admitted) return later;
    return { admitted: false, retryAfterSeconds: Math.min(first.retryAfterSeconds, later.retryAfterSeconds) };
  }

  /** For how many seconds `take` would refuse a code, 0 when it would admit; counts nothing. */
  async look(login: LoginTry): Promise<number> {
    return this.store.look(keysOf(login, await this.#standingOf(login)), this.now());
  }

  /** Whether the try comes from a device or a source that the account knows. */
  async isKnown(login: LoginTry): Promise<boolean> {
    return login.device !== undefined || this.store.isRemembered(knownKey(login), this.now());
  }

  /** The factor was right: the source is known to the account for 30 days, and its own failures are forgotten. */
  succeed({ login, keys }: CountedTry): Promise<void> {
    return this.store.succeed({
      clear: keys.filter(({ cleared }) => cleared).map(({ key }) => key),
      giveBack: keys.filter(({ cleared }) => !cleared).map(({ key }) => key),
      remember: { key: knownKey(login), until: this.now() + MONTH },
    });
  }

  /** The try could not be checked, so it was none. */
  giveBack({ keys }: CountedTry): Promise<void> {
    return this.store.succeed({ giveBack: keys.map(({ key }) => key) });
  }

  /** The try was not checked because too many waited: it was no guess, but its source and network asked for it. */
  giveBackGuess({ keys }: CountedTry): Promise<void> {
    return this.store.succeed({ giveBack: keys.filter(({ asks }) => !asks).map(({ key }) => key) });
  }

  async #standingOf(login: LoginTry): Promise<Standing> {
    if (login.device !== undefined) return 'device';
    return (await this.isKnown(login)) ? 'known' : 'new';
  }

  async #count(login: LoginTry, standing: Standing): Promise<LoginAdmission> {
    const keys = keysOf(login, standing);
    const admission = await this.store.take(keys, this.now());
    if (!admission.admitted) return admission;
    const isKnown = standing === 'device' || standing === 'known';
    return { admitted: true, counted: { login, isKnown, failures: admission.failures.at(-1) ?? 0, keys } };
  }
}
