import { DomainError } from '@keyfold/domain';
import type { SecurityEventName, SecurityLog } from '../security-log/security-log.js';
import type { Origin } from '../origin.js';
import { outcomeOf, type LoginFactor } from './login-counts.js';

const names = {
  refused: 'authn_login_fail',
  throttled: 'authn_login_fail_max',
} as const satisfies Record<string, SecurityEventName>;

/** Reports what becomes of one login to the security log. Never the name: people type passwords into that field. */
export class LoginReport {
  /** The account of the name, set once it is known, also when the password is wrong. */
  account: number | undefined;

  constructor(
    private readonly log: SecurityLog,
    private readonly origin: Origin,
  ) {}

  /** Reports a check that refuses or throttles the login, and passes its result or error on. */
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
