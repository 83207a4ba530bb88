import { LoginThrottle, type LoginAttempt } from '@keyfold/security';
import { openThrottle } from '../../libs/security/testing/embedded-throttle.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** Networks in a row that must be refused before the attacker pauses. */
const ENOUGH_REFUSALS = 2;

/** The size of an attack in networks of 250 addresses each, and the factor that they guess. */
type Attacker = Readonly<{ networks: number; factor: LoginAttempt['factor'] }>;

/**
 * Thirty days of guesses at one account, on the real throttle with a simulated clock. The attacker knows all rules: it
 * tries from every network as soon as possible, waits exactly as long as required, and never gives up.
 */
export class GuessingAttack {
  readonly start = Date.UTC(2026, 0, 15, 12);
  now = this.start;
  guesses = 0;
  readonly throttle = new LoginThrottle(openThrottle().store, () => this.now);
  /** The time of each network's next attempt, by network index. */
  readonly #due: number[];
  /** The number of guesses of each network. */
  readonly #guesses: number[];
  readonly #factor: LoginAttempt['factor'];

  constructor({ networks, factor }: Attacker) {
    this.#due = Array.from({ length: networks }, () => this.start);
    this.#guesses = this.#due.map(() => 0);
    this.#factor = factor;
  }

  /** Runs for thirty days. The owner acts every `hours` hours. */
  async run(hours: number, owner: (round: number) => Promise<void>): Promise<void> {
    const end = this.start + 30 * DAY;
    for (let round = 0; this.now < end; round++) {
      await owner(round);
      await this.#attackUntil(Math.min(end, this.start + (round + 1) * hours * HOUR));
    }
  }

  /** Logs in with the correct password. Returns the seconds until the login was admitted. */
  async logIn(from: Readonly<{ address: string; device?: string }>): Promise<number> {
    const began = this.now;
    for (;;) {
      const admission = await this.throttle.admit(this.#try(from));
      if (admission.admitted) {
        await this.throttle.recordSuccess(admission.counted);
        const waited = (this.now - began) / SECOND;
        this.now = began;
        return waited;
      }
      // The attacker continues meanwhile.
      await this.#attackUntil(this.now + admission.retryAfterSeconds * SECOND);
    }
  }

  async #attackUntil(end: number): Promise<void> {
    while (this.now < end) {
      const soonest = await this.#guessWithAll();
      this.now = Math.min(end, Math.max(this.now + SECOND, soonest));
    }
  }

  /** Guesses from every allowed network until enough are refused. Returns the time of the next allowed guess. */
  async #guessWithAll(): Promise<number> {
    // Other rules admit the first two guesses of a network than the later ones.
    await this.#guessWhere((guesses) => guesses < 2);
    await this.#guessWhere((guesses) => guesses >= 2);
    return this.#due.reduce((soonest, due) => (due > this.now && due < soonest ? due : soonest), Infinity);
  }

  async #guessWhere(isMeant: (guesses: number) => boolean): Promise<void> {
    let refusals = 0;
    for (let network = 0; network < this.#due.length && refusals < ENOUGH_REFUSALS; network++) {
      if (this.#due[network]! > this.now || !isMeant(this.#guesses[network]!)) continue;
      refusals = (await this.#guessUntilRefused(network)) > 0 ? 0 : refusals + 1;
    }
  }

  /** Returns the number of admitted guesses. */
  async #guessUntilRefused(network: number): Promise<number> {
    for (let guesses = 0; ; guesses++) {
      const admission = await this.throttle.admit(this.#try({ address: this.#addressIn(network) }));
      if (!admission.admitted) {
        this.#due[network] = this.now + admission.retryAfterSeconds * SECOND;
        return guesses;
      }
      this.guesses += 1;
      this.#guesses[network]! += 1;
    }
  }

  /** Returns another address of the network for each guess. */
  #addressIn(network: number): string {
    return `${20 + (network >> 16)}.${(network >> 8) & 255}.${network & 255}.${this.guesses % 250}`;
  }

  #try(from: Readonly<{ address: string; device?: string }>): LoginAttempt {
    return { factor: this.#factor, account: 'ann', ...from };
  }
}
