import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isRetryable } from '@keyfold/event-store';
import { DomainError, type Account, type StartSession } from '@keyfold/domain';
import { accountStream, sessionStream } from '@keyfold/projections';
import {
  CODE_FAILURES_BEFORE_LOCK,
  DeviceTokens,
  dummyHash,
  HashQueueFull,
  LoginThrottle,
  matchingStep,
  networksOf,
  PasswordHasher,
  Sealer,
  TokenSigner,
  type CountedAttempt,
  type Device,
  type LoginAttempt,
} from '@keyfold/security';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';
import { sealingContext } from '../sealing-context.js';
import { SecurityLog } from '../security-log/security-log.js';
import { nameHash, UserNames } from '../user-names.js';
import { LoginCounts } from './login-counts.js';
import { LoginQueues, type LeaveQueues, type LoginIdentity } from './login-queues.js';
import { LoginReport } from './login-report.js';

/** The token of the new session, and the device token to present at the next login. */
export type LoggedIn = Readonly<{ token: string; deviceToken: string }>;

/** Logs in with a password, given as its static hash. `undefined` is always wrong. */
export class LogInCommand extends Command<LoggedIn> {
  constructor(
    readonly login: Readonly<{
      username: string;
      staticHash: string | undefined;
      code: string;
      address: string;
      /** The device token of an earlier login, if the client shows one. */
      deviceToken: string | undefined;
      client: string;
      origin: Origin;
    }>,
  ) {
    super();
  }
}
type UsedCode = NonNullable<StartSession['usedCode']>;
/** `device` has logged in to an account of this name, possibly to a former owner of the name. */
type Login = LogInCommand['login'] & Readonly<{ device: Device | undefined }>;

@CommandHandler(LogInCommand)
export class LogInHandler implements ICommandHandler<LogInCommand> {
  readonly attempts = new LoginCounts();
  readonly #dummyHash: Promise<string>;

  constructor(
    private readonly runner: CommandRunner,
    private readonly names: UserNames,
    private readonly hasher: PasswordHasher,
    private readonly queues: LoginQueues,
    private readonly throttle: LoginThrottle,
    private readonly sealer: Sealer,
    private readonly tokens: TokenSigner,
    private readonly devices: DeviceTokens,
    private readonly clock: Clock,
    private readonly security: SecurityLog,
  ) {
    this.#dummyHash = dummyHash(hasher);
  }

  async execute({ login: request }: LogInCommand): Promise<LoggedIn> {
    const account = nameHash(request.username);
    const device = request.deviceToken ? this.devices.read(request.deviceToken, this.clock.now()) : undefined;
    const login = { ...request, device: device?.nameHash === account ? device : undefined };
    const identity = { account, address: login.address, device: login.device?.id };
    const leave = await this.#enterQueues(identity);
    try {
      return await this.#logIn(login);
    } finally {
      leave();
    }
  }

  async #enterQueues(identity: LoginIdentity): Promise<LeaveQueues> {
    let entered = await this.queues.enter(identity, false);
    if (entered === 'known only' && (await this.throttle.isKnown({ factor: 'password', ...identity })))
      entered = await this.queues.enter(identity, true);
    if (typeof entered === 'function') return entered;
    this.attempts.add('password', 'failed');
    throw new HashQueueFull();
  }

  async #logIn(login: Login): Promise<LoggedIn> {
    const report = new LoginReport(this.security, login.origin);
    const account = await report.watch('password', () =>
      this.attempts.count('password', () => this.#verifyPassword(login, report)),
    );
    const token = account.twoFactor
      ? await report.watch('one_time_code', () =>
          this.attempts.count('one_time_code', () => this.#startWithCode(login, account)),
        )
      : await this.#startSession(login, account, undefined);
    const { accountId, username, twoFactor } = account;
    const id = deviceOf(login, account)?.id;
    const device = { id, accountId, nameHash: nameHash(username), enrolment: twoFactor?.enrolment };
    return { token, deviceToken: this.devices.sign(device, this.clock.now()) };
  }

  /** Takes the same hashes and store operations if the name is unknown, the password wrong or empty, or the account disabled. */
  async #verifyPassword(login: Login, report: LoginReport): Promise<Account> {
    const { username, address, device } = login;
    const attempt = { factor: 'password', account: nameHash(username), address, device: device?.id } as const;
    const counted = await this.#admit(attempt);
    const account = await this.#matchingAccount(login, counted.isKnown, report).catch(async (error: unknown) => {
      // An attempt that was not checked is no guess. It still counts for its source if the queue was full; otherwise filling it would be free.
      await (error instanceof HashQueueFull ? this.throttle.refundGuess(counted) : this.throttle.refund(counted));
      throw error;
    });
    if (!account || account.disabled || login.staticHash === undefined) throw new DomainError('invalid-credentials');
    await this.#succeed(counted);
    return account;
  }

  /** Returns the account if the password is right. The hasher alternates between known and unknown sources. */
  async #matchingAccount(
    { username, staticHash = '', address }: Login,
    isKnown: boolean,
    report: LoginReport,
  ): Promise<Account | undefined> {
    const account = await this.names.accountOf(username);
    report.account = account?.accountId;
    const hash = account
      ? this.sealer.open(account.sealedPasswordHash, sealingContext.password(account.accountId))
      : await this.#dummyHash;
    const asker = [isKnown ? 'known' : 'unknown', ...networksOf(address), nameHash(username)];
    return (await this.hasher.verify(staticHash, hash, asker)) ? account : undefined;
  }

  /** A code that was used before is only detected when the commit of the session is refused. */
  async #startWithCode(login: Login, account: Account): Promise<string> {
    const { counted, ...usedCode } = await this.#verifyCode(login, account);
    const token = await this.#startSession(login, account, usedCode).catch(async (error: unknown) => {
      // A right code counts as a failure only if it was used before, not if the store failed.
      if (!(error instanceof DomainError)) await this.throttle.refund(counted);
      throw error;
    });
    await this.#succeed(counted);
    return token;
  }

  async #verifyCode(login: Login, account: Account): Promise<UsedCode & { counted: CountedAttempt }> {
    const { enrolment, sealedSecret, locked } = account.twoFactor!;
    const attempt = codeAttempt(login, account);
    // Somebody else may have entered the wrong codes, so the owner can still log in from a known source or device.
    if (locked && !(await this.throttle.isKnown(attempt))) throw new DomainError('one-time-code-locked');
    if (login.code.trim() === '') throw await this.#missingCode(attempt);
    const secret = this.sealer.open(sealedSecret, sealingContext.twoFactor(account.accountId));
    const counted = await this.#admit(attempt);
    const step = matchingStep(secret, login.code, this.clock.now());
    if (step !== undefined) return { enrolment, step, counted };
    if (counted.failures >= CODE_FAILURES_BEFORE_LOCK) await this.#lockCode(account, counted.failures, login.origin);
    throw new DomainError('one-time-code-invalid-at-login');
  }

  /** Returns the refusal of a missing code. It is no guess: front ends ask for the code only after the right password. */
  async #missingCode(attempt: LoginAttempt): Promise<DomainError> {
    const seconds = await this.throttle.secondsBlocked(attempt);
    return seconds > 0
      ? new DomainError('too-many-attempts', { retryAfterSeconds: seconds })
      : new DomainError('one-time-code-required');
  }

  async #startSession(login: Login, account: Account, usedCode: UsedCode | undefined): Promise<string> {
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
    await this.runner.run(sessionStream(sessionId, accountId), command, context);
    return token;
  }

  async #lockCode({ accountId }: Account, failures: number, origin: Origin): Promise<void> {
    const context = { actor: `login:${accountId}`, ...origin };
    await this.runner.run(accountStream(accountId), { type: 'LockTwoFactor', failures }, context);
  }

  /** Ignores outages: a lost counter must not fail a correct login, least of all after its code was spent. */
  async #succeed(counted: CountedAttempt): Promise<void> {
    await this.throttle.recordSuccess(counted).catch((error: unknown) => {
      if (!isRetryable(error)) throw error;
    });
  }

  async #admit(attempt: LoginAttempt): Promise<CountedAttempt> {
    const admission = await this.throttle.admit(attempt);
    if (!admission.admitted)
      throw new DomainError('too-many-attempts', { retryAfterSeconds: admission.retryAfterSeconds });
    return admission.counted;
  }
}

/**
 * Returns the throttle's key for a code. The count starts again with each enrolment and each password, so that wrong codes for a discarded
 * secret or by someone who knew an old password do not lock the code. A device is known only once it has used a right code of this enrolment.
 */
function codeAttempt(login: Login, account: Account): LoginAttempt {
  const { accountId, passwordCredential, twoFactor } = account;
  const { address } = login;
  const { enrolment } = twoFactor!;
  const shown = deviceOf(login, account);
  const device = shown?.enrolment === enrolment ? shown.id : undefined;
  return { factor: 'one-time-code', account: `${accountId}:${passwordCredential}:${enrolment}`, address, device };
}

/** Returns the device, unless its token belongs to a former owner of the name. */
const deviceOf = ({ device }: Login, { accountId }: Account) => (device?.accountId === accountId ? device : undefined);
