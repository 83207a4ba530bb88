import { DomainError } from '@keyfold/domain';

const FACTORS = ['password', 'one_time_code'] as const;
/**
 * - `refused`: the password or code is wrong, already used or locked, or the account does not exist
 * - `throttled`: too many attempts
 * - `missing`: the password is correct, and a code is required
 * - `failed`: not checked, because the queue was full or the store was unavailable
 */
const OUTCOMES = ['accepted', 'refused', 'throttled', 'missing', 'failed'] as const;

/** A secret that a login checks. */
export type LoginFactor = (typeof FACTORS)[number];
/** The outcome of a check. */
export type LoginOutcome = (typeof OUTCOMES)[number];

/** Counts the outcomes of the password and code checks of this process. */
export class LoginCounts {
  readonly #counts = new Map<string, number>();

  add(factor: LoginFactor, outcome: LoginOutcome): void {
    const key = `${factor} ${outcome}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Runs a check and counts its outcome. */
  async count<Result>(factor: LoginFactor, check: () => Promise<Result>): Promise<Result> {
    try {
      const result = await check();
      this.add(factor, 'accepted');
      return result;
    } catch (error) {
      this.add(factor, outcomeOf(error));
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
