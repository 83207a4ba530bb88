import { LoginThrottle, type CountedTry, type LoginTry } from '../src/login-throttle.js';
import { openThrottle } from './embedded-throttle.js';

type Differing = { account?: string; address?: string; device?: string };

/** A password for the account `ann`, or what differs from that. */
export const login = (differing: Differing = {}): LoginTry => ({
  factor: 'password',
  account: 'ann',
  address: '192.0.2.7',
  ...differing,
});
/** The same for a one-time code. */
export const code = (differing: Differing = {}): LoginTry => ({ ...login(differing), factor: 'one-time-code' });
/** An address in a network of its own. */
export const network = (n: number) => ({ address: `100.${n >> 8}.${n & 255}.7` });
export const device = { device: 'laptop' };

/** Tries on a throttle with counters and a clock of its own, which are gone after the running test. */
export class ThrottledLogins {
  now = Date.UTC(2026, 0, 15, 12);
  readonly throttle = new LoginThrottle(openThrottle().store, () => this.now);

  /** Answers what was counted, or the seconds after which to try again. */
  async tryOnce(attempt = login()): Promise<CountedTry | number> {
    const admission = await this.throttle.take(attempt);
    return admission.admitted ? admission.counted : admission.retryAfterSeconds;
  }

  /** A try that must be admitted. */
  async counted(attempt = login()): Promise<CountedTry> {
    const answer = await this.tryOnce(attempt);
    if (typeof answer === 'number') throw new Error(`refused for ${answer} s`);
    return answer;
  }

  async fail(count: number, attempt = login()): Promise<void> {
    for (let n = 0; n < count; n++) await this.counted(attempt);
  }

  async succeed(attempt = login()): Promise<void> {
    await this.throttle.succeed(await this.counted(attempt));
  }

  /** Fails until it is refused; answers how often. */
  async failAsOftenAsPossible(attempt: LoginTry): Promise<number> {
    for (let count = 0; ; count++) if (typeof (await this.tryOnce(attempt)) === 'number') return count;
  }

  async isAdmitted(attempt?: LoginTry): Promise<boolean> {
    return typeof (await this.tryOnce(attempt)) !== 'number';
  }
}
