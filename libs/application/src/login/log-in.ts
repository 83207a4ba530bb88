import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError, sessionDecider, accountDecider, type Account, type StartSession } from '@keyfold/domain';
import { accountStream, sessionStream } from '@keyfold/projections';
import {
  CODE_FAILURES_BEFORE_LOCK,
  dummyHash,
  HashQueueFull,
  LoginThrottle,
  matchingStep,
  PasswordHasher,
  Sealer,
  sourceOf,
  TokenSigner,
  type LoginTry,
} from '@keyfold/security';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { CommandRunner, type Origin } from '../handle-command.js';
import { KeyedQueue } from '../keyed-queue.js';
import { sealedFor } from '../sealed-for.js';
import { SecurityLog } from '../security-log/security-log.js';
import { nameHash, UserNames } from '../user-names.js';
import { LoginCounts } from './login-counts.js';
import { LoginReport } from './login-report.js';

/** A login with a password in the form of its static hash; `undefined` can never be right. Answers the token. */
export class LogIn extends Command<{ token: string }> {
  constructor(
    readonly login: Readonly<{
      username: string;
      staticHash: string | undefined;
      code: string;
      address: string;
      client: string;
      origin: Origin;
    }>,
  ) {
    super();
  }
}
type Login = LogIn['login'];

/** So many logins may wait: of one account from one source, and of one source in all. */
const WAITING_PER_PAIR = 200;
const WAITING_PER_SOURCE = 400;
/** A try counts while it is checked, so this must stay well below what one source may get wrong. */
const TRIES_PER_SOURCE = 20;

@CommandHandler(LogIn)
export class LogInHandler implements ICommandHandler<LogIn> {
  readonly attempts = new LoginCounts();
  /** Right logins in parallel must not be refused for each other: one of a pair at a time, some of a source. */
  readonly #pairs = new KeyedQueue();
  readonly #sources = new KeyedQueue(TRIES_PER_SOURCE);
  readonly #dummyHash: Promise<string>;

  constructor(
    private readonly commands: CommandRunner,
    private readonly names: UserNames,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly sealer: Sealer,
    private readonly tokens: TokenSigner,
    private readonly clock: Clock,
    private readonly security: SecurityLog,
  ) {
    this.#dummyHash = dummyHash(hasher);
  }

  async execute({ login }: LogIn): Promise<{ token: string }> {
    const source = sourceOf(login.address);
    const pair = `${nameHash(login.username)}:${source}`;
    const full = this.#pairs.size(pair) >= WAITING_PER_PAIR || this.#sources.size(source) >= WAITING_PER_SOURCE;
    if (full) {
      this.attempts.add('password', 'failed');
      throw new HashQueueFull();
    }
    return this.#pairs.run(pair, () => this.#sources.run(source, () => this.#logIn(login)));
  }

  async #logIn(login: Login): Promise<{ token: string }> {
    const report = new LoginReport(this.security, login.origin);
    const account = await report.watch('password', () =>
      this.attempts.measure('password', () => this.#verifyPassword(login, report)),
    );
    if (!account.twoFactor) return { token: await this.#startSession(login, account, undefined) };
    // That a code was used before shows only when the session cannot be stored.
    const logInWithCode = async () => {
      const usedCode = await this.#verifyCode(login, account);
      return { token: await this.#startSession(login, account, usedCode) };
    };
    return report.watch('one_time_code', () => this.attempts.measure('one_time_code', logInWithCode));
  }

  /** The same number of hashes and store operations whether the name is unknown, the password wrong or empty, or the account disabled. */
  async #verifyPassword(login: Login, report: LoginReport): Promise<Account> {
    const attempt: LoginTry = { factor: 'password', account: nameHash(login.username), address: login.address };
    await this.#admit(attempt);
    const account = await this.#matchingAccount(login, report).catch(async (error: unknown) => {
      // A try that could not be checked is no failure.
      await this.throttle.giveBack(attempt);
      throw error;
    });
    if (!account || account.disabled || login.staticHash === undefined) throw new DomainError('invalid-credentials');
    await this.throttle.succeed(attempt);
    return account;
  }

  /** The account of the name when the password is right. */
  async #matchingAccount({ username, staticHash = '' }: Login, report: LoginReport): Promise<Account | undefined> {
    const account = await this.names.accountOf(username);
    report.account = account?.accountId;
    const hash = account
      ? this.sealer.open(account.sealedPasswordHash, sealedFor.password(account.accountId))
      : await this.#dummyHash;
    return (await this.hasher.verify(staticHash, hash)) ? account : undefined;
  }

  async #verifyCode(login: Login, account: Account): Promise<StartSession['usedCode']> {
    const { enrolment, sealedSecret, locked } = account.twoFactor!;
    if (locked) throw new DomainError('one-time-code-locked');
    if (login.code.trim() === '') throw await this.#missingCode(this.#codeTry(login, account));
    const secret = this.sealer.open(sealedSecret, sealedFor.twoFactor(account.accountId));
    const failures = await this.#admit(this.#codeTry(login, account));
    const step = matchingStep(secret, login.code, this.clock.now());
    if (step !== undefined) return { enrolment, step };
    if (failures >= CODE_FAILURES_BEFORE_LOCK) await this.#lockCode(account, failures, login.origin);
    throw new DomainError('one-time-code-invalid-at-login');
  }

  /** A missing code is no guess: front ends ask for it only after the password was right. While codes are refused they need not ask. */
  async #missingCode(attempt: LoginTry): Promise<DomainError> {
    const seconds = await this.throttle.look(attempt);
    return seconds > 0 ? new DomainError('too-many-attempts', seconds) : new DomainError('one-time-code-required');
  }

  async #startSession(login: Login, account: Account, usedCode: StartSession['usedCode']): Promise<string> {
    const { accountId, username, passwordTimestamp, credential } = account;
    const sessionId = randomUUID();
    const subject = { accountId, sessionId, username, passwordTimestamp, now: this.clock.now() };
    const token = this.tokens.sign(subject);
    const { iat: startedAt, exp: expiresAt } = this.tokens.read(token)!;
    const session = {
      sessionId,
      accountId,
      credential,
      factors: usedCode ? (['password', 'one-time-code'] as const) : (['password'] as const),
      address: login.address,
      client: login.client,
      startedAt,
      expiresAt,
    };
    const command: StartSession = { type: 'StartSession', session, ...(usedCode ? { usedCode } : {}) };
    const context = { actor: `login:${accountId}`, ...login.origin, newStream: true } as const;
    try {
      await this.commands.run(sessionStream(sessionId, accountId), sessionDecider, command, context);
    } catch (error) {
      // A right code that could not be stored is no failure; one that was used before is.
      if (usedCode && !(error instanceof DomainError)) await this.throttle.giveBack(this.#codeTry(login, account));
      throw error;
    }
    if (usedCode) await this.throttle.succeed(this.#codeTry(login, account));
    return token;
  }

  async #lockCode({ accountId }: Account, failures: number, origin: Origin): Promise<void> {
    const context = { actor: `login:${accountId}`, ...origin };
    await this.commands.run(accountStream(accountId), accountDecider, { type: 'LockTwoFactor', failures }, context);
  }

  /** Counted for each enrolment anew: wrong codes of a secret that was given up do not lock its successor. */
  #codeTry({ address }: Login, { accountId, twoFactor }: Account): LoginTry {
    return { factor: 'one-time-code', account: `${accountId}:${twoFactor!.enrolment}`, address };
  }

  /** Answers how many codes of the account were wrong in a row, this one included; 0 for passwords, where nobody asks. */
  async #admit(attempt: LoginTry): Promise<number> {
    const admission = await this.throttle.take(attempt);
    if (!admission.admitted) throw new DomainError('too-many-attempts', admission.retryAfterSeconds);
    return admission.failures.at(-1) ?? 0;
  }
}
