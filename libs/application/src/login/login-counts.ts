import { DomainError } from '@keyfold/domain';

const FACTORS = ['password', 'one_time_code'] as const;
/**
 * `refused`: wrong, used before, locked, or no such account. `throttled`: too many tries before. `missing`: a code was asked for, as front
 * ends want it after the right password. `failed`: it could not be checked, because too many waited or the store was away.
 */
const OUTCOMES = ['accepted', 'refused', 'throttled', 'missing', 'failed'] as const;

export type LoginFactor = (typeof FACTORS)[number];
export type LoginOutcome = (typeof OUTCOMES)[number];

/** What became of the passwords and codes that this process checked at logins. */
export class LoginCounts {
  readonly #counts = new Map<string, number>();

  add(factor: LoginFactor, outcome: LoginOutcome): void {
    const key = `${factor} ${outcome}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Counts what a check comes to. */
  async measure<Result>(factor: LoginFactor, check: () => Promise<Result>): Promise<Result> {
    try {
      const result = await check();
      this.add(factor, 'accepted');
      return result;
    } catch (error) {
      this.add(factor, outcomeOf(error));
      throw error;
    }
  }

  /** Every factor with every outcome, also those that never came. */
  all(): { factor: LoginFactor; outcome: LoginOutcome; count: number }[] {
    return FACTORS.flatMap((factor) =>
      OUTCOMES.map((outcome) => ({ factor, outcome, count: this.#counts.get(`${factor} ${outcome}`) ?? 0 })),
    );
  }
}

/** What a check that failed came to. */
export function outcomeOf(error: unknown): LoginOutcome {
  if (!(error instanceof DomainError)) return 'failed';
  if (error.code === 'too-many-attempts') return 'throttled';
  return error.code === 'one-time-code-required' ? 'missing' : 'refused';
}
