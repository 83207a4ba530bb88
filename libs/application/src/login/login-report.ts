import { DomainError } from '@keyfold/domain';
import type { SecurityEventName, SecurityLog } from '../security-log/security-log.js';
import type { Origin } from '../origin.js';
import { outcomeOf, type LoginFactor } from './login-counts.js';

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
    private readonly origin: Origin,
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
