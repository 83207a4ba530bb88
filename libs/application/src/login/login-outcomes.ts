import { DomainError } from '@keyfold/domain';
import type { Origin } from '../origin.js';
import type { SecurityEventName, SecurityLog } from '../security-log/security-log.js';

const FACTORS = ['password', 'one_time_code'] as const;
/**
 * - `refused`: the password or code is wrong, already used or locked, or the account does not exist or may not log in here
 * - `throttled`: too many attempts
 * - `missing`: the password is correct, and a code is required
 * - `failed`: not checked, because the queue was full or the store was unavailable
 */
const OUTCOMES = ['accepted', 'refused', 'throttled', 'missing', 'failed'] as const;

export type LoginFactor = (typeof FACTORS)[number];
export type LoginOutcome = (typeof OUTCOMES)[number];

/** Counts the outcomes of the password and code checks of logins in this thread. `onEnded` is called for each login that a check decides. */
export class LoginCounts {
  readonly #counts = new Map<string, number>();

  constructor(private readonly onEnded: (outcome: 'accepted' | 'refused') => void = () => undefined) {}

  add(factor: LoginFactor, outcome: LoginOutcome): void {
    const key = `${factor} ${outcome}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /**
   * Runs a check and counts its outcome, unless the result is undefined: then another check decides. `ends` returns false for a result after
   * which the login needs a further check.
   */
  async count<Result>(
    factor: LoginFactor,
    check: () => Promise<Result>,
    ends: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    try {
      const result = await check();
      if (result !== undefined) {
        this.add(factor, 'accepted');
        if (ends(result)) this.onEnded('accepted');
      }
      return result;
    } catch (error) {
      const outcome = outcomeOf(error);
      this.add(factor, outcome);
      if (outcome === 'refused' || outcome === 'throttled') this.onEnded('refused');
      throw error;
    }
  }

  /** Returns the counts of all factors and outcomes, zeros included. */
  all(): { factor: LoginFactor; outcome: LoginOutcome; count: number }[] {
    return FACTORS.flatMap((factor) =>
      OUTCOMES.map((outcome) => ({ factor, outcome, count: this.#counts.get(`${factor} ${outcome}`) ?? 0 })),
    );
  }
}

/** Returns the outcome of a check that failed with this error. */
export function outcomeOf(error: unknown): LoginOutcome {
  if (!(error instanceof DomainError)) return 'failed';
  if (error.code === 'too-many-attempts') return 'throttled';
  return error.code === 'one-time-code-required' ? 'missing' : 'refused';
}

const names = {
  refused: 'authn_login_fail',
  throttled: 'authn_login_fail_max',
} as const satisfies Record<string, SecurityEventName>;

/** Reports the outcome of one login to the security log. Never reports the user name: people type passwords into that field. */
export class LoginReport {
  /** The account with the given name. It is set as soon as it is known, even if the password is wrong. */
  account: number | undefined;

  constructor(
    private readonly log: SecurityLog,
    readonly origin: Origin,
  ) {}

  /** Runs a check and returns its result. Reports the error if the check refuses or throttles the login, and rethrows it. */
  async watch<Result>(factor: LoginFactor, check: () => Promise<Result>): Promise<Result> {
    try {
      return await check();
    } catch (error) {
      this.#report(factor, error);
      throw error;
    }
  }

  #report(factor: LoginFactor, error: unknown): void {
    const outcome = outcomeOf(error);
    if (!(error instanceof DomainError) || (outcome !== 'refused' && outcome !== 'throttled')) return;
    const account = this.account === undefined ? {} : { account: this.account, about: [this.account] };
    const fields = { factor, reason: error.code };
    this.log.report({ name: names[outcome], ...account, outcome, fields, origin: this.origin });
  }
}
