import type { LoginAttempt } from '../src/throttle/login-keys.js';
import { LoginThrottle, type CountedAttempt } from '../src/throttle/login-throttle.js';
import { openThrottle } from './embedded-throttle.js';

type Overrides = { account?: string; address?: string; device?: string };

/** Returns an attempt with a password for the account `ann`. */
export const login = (overrides: Overrides = {}): LoginAttempt => ({
  factor: 'password',
  account: 'ann',
  address: '192.0.2.7',
  ...overrides,
});
/** Returns an attempt with a one-time code. */
export const code = (overrides: Overrides = {}): LoginAttempt => ({ ...login(overrides), factor: 'one-time-code' });
/** Returns an address in the nth network. */
export const network = (n: number) => ({ address: `100.${n >> 8}.${n & 255}.7` });
export const device = { device: 'laptop' };

/** Makes attempts on a throttle with its own counters and clock, for one test. */
export class ThrottledLogins {
  now = Date.UTC(2026, 0, 15, 12);
  readonly throttle = new LoginThrottle(openThrottle().store, () => this.now);

  /** Returns the counted attempt, or the seconds to wait if it is refused. */
  async attemptOnce(attempt = login()): Promise<CountedAttempt | number> {
    const admission = await this.throttle.admit(attempt);
    return admission.admitted ? admission.counted : admission.retryAfterSeconds;
  }

  /** Makes an attempt that must be admitted. */
  async counted(attempt = login()): Promise<CountedAttempt> {
    const answer = await this.attemptOnce(attempt);
    if (typeof answer === 'number') throw new Error(`refused for ${answer} s`);
    return answer;
  }

  async fail(count: number, attempt = login()): Promise<void> {
    for (let n = 0; n < count; n++) await this.counted(attempt);
  }

  async succeed(attempt = login()): Promise<void> {
    await this.throttle.recordSuccess(await this.counted(attempt));
  }

  /** Fails until it is refused. Returns the number of failures. */
  async failAsOftenAsPossible(attempt: LoginAttempt): Promise<number> {
    for (let count = 0; ; count++) if (typeof (await this.attemptOnce(attempt)) === 'number') return count;
  }

  /** Waits until each of the attempts is admitted, then fails it. Returns the seconds that each had to wait. */
  async waitsOf(attempts: readonly LoginAttempt[]): Promise<number[]> {
    const waits: number[] = [];
    for (const attempt of attempts) {
      const wait = Number(await this.attemptOnce(attempt));
      waits.push(wait);
      this.now += wait * 1_000;
      await this.fail(1, attempt);
    }
    return waits;
  }

  async isAdmitted(attempt?: LoginAttempt): Promise<boolean> {
    return typeof (await this.attemptOnce(attempt)) !== 'number';
  }
}
