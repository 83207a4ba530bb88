import { DomainError } from '@keyfold/domain';
import { staticHash } from '@keyfold/security';
import { oneTimeCode, stepOf } from '../../../test/support/one-time-code.js';
import { CodeCheck } from '../src/login/code-check.js';
import { LogInCommand, LogInHandler, type LoggedIn } from '../src/login/log-in.js';
import { InMemoryLoginQueues } from '../src/login/login-queues.js';
import { PasswordCheck } from '../src/login/password-check.js';
import { SessionStart } from '../src/login/session-start.js';
import type { SecurityEvent } from '../src/security-log/security-log.js';
import { changeAccount, registerAccount } from './accounts.js';
import { EmbeddedService } from './embedded-service.js';

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** A login as a client sends it. `hash` is the static hash that the hash route receives. */
export type Attempt = {
  username?: string;
  password?: string;
  hash?: string | undefined;
  code?: string;
  address?: string;
  device?: string;
};

/** A client that logs in. It uses the name `ann`, the password `right`, no code and one address, unless the attempt says otherwise. */
export class LoginClient {
  readonly #handler: LogInHandler;

  readonly passwords: PasswordCheck;
  readonly codes: CodeCheck;
  readonly security = { report: (event: SecurityEvent) => void this.reported.push(event) };

  /** The accounts whose imported hash was not replaced. */
  readonly notReplaced: number[] = [];

  /** The security events that the logins reported. */
  readonly reported: SecurityEvent[] = [];

  constructor(private readonly service: EmbeddedService) {
    const { runner, names, hasher, throttle, sealer, tokens, devices, clock, recentLogins } = service;
    const problems = { hashNotReplaced: (accountId: number) => void this.notReplaced.push(accountId) };
    const queues = new InMemoryLoginQueues();
    this.passwords = new PasswordCheck(names, hasher, queues, throttle, sealer, runner, recentLogins, problems);
    this.codes = new CodeCheck(runner, throttle, sealer, clock);
    const { passwords, codes, security } = this;
    const sessions = new SessionStart(runner, tokens, clock);
    this.#handler = new LogInHandler(passwords, codes, sessions, devices, clock, security);
  }

  /** The counts of all checks so far by `<factor> <outcome>`, without zeros. */
  get attempts(): Record<string, number> {
    const all = this.passwords.counts.all().filter(({ count }) => count > 0);
    return Object.fromEntries(all.map(({ factor, outcome, count }) => [`${factor} ${outcome}`, count]));
  }

  /** Logs in and returns the token. */
  async logIn(attempt: Attempt = {}): Promise<string> {
    return (await this.logInWithDevice(attempt)).token;
  }

  /** Logs in and returns the token and the device token. */
  async logInWithDevice(attempt: Attempt = {}): Promise<LoggedIn> {
    const { username = 'ann', password = 'right', code = '', address = '192.0.2.7', device } = attempt;
    const hash = 'hash' in attempt ? attempt.hash : staticHash(password);
    const login = {
      username,
      staticHash: hash,
      code,
      address,
      deviceToken: device,
      client: 'curl/8.5.0',
      origin: { correlation: 'request-1' },
    };
    return this.#handler.execute(new LogInCommand(login));
  }

  /** Logs in and returns `token`, or the code of the refusal. */
  async outcome(attempt: Attempt = {}): Promise<string> {
    return this.logIn(attempt).then(
      () => 'token',
      (error: unknown) => {
        if (error instanceof DomainError) return error.code;
        throw error;
      },
    );
  }

  /** Enables two-factor with the current code. */
  async enableTwoFactor(accountId: number, enrolment = 1): Promise<void> {
    const now = this.service.clock.now();
    const sealedSecret = this.service.sealer.seal(SECRET, `account-${accountId}/two-factor`);
    await changeAccount(this.service, accountId, { type: 'StartTwoFactorEnrolment', sealedSecret, now });
    await changeAccount(this.service, accountId, { type: 'EnableTwoFactor', enrolment, step: stepOf(now), now });
  }

  /** Returns the current code. */
  code(): string {
    return oneTimeCode(SECRET, stepOf(this.service.clock.now()));
  }

  /** Returns a code that is not accepted at this time. */
  wrongCode(): string {
    const step = stepOf(this.service.clock.now());
    const right = [step - 1, step, step + 1].map((each) => oneTimeCode(SECRET, each));
    return ['000000', '000001', '000002', '000003'].find((code) => !right.includes(code))!;
  }
}

/** Registers account 7, `ann`, and returns the service and a client for it. */
export async function clientWithAnn(service = new EmbeddedService()) {
  await registerAccount(service, 7, 'ann');
  return { service, client: new LoginClient(service) };
}
