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
import { CommandRunner, type Origin } from '../command-runner.js';
import { sealedFor } from '../sealed-for.js';
import { SecurityLog } from '../security-log/security-log.js';
import { nameHash, UserNames } from '../user-names.js';
import { LoginCounts } from './login-counts.js';
import { LoginPlaces } from './login-places.js';
import { LoginReport } from './login-report.js';

/** What a client gets: the token of the session, and one that its device may show at the next login. */
export type LoggedIn = Readonly<{ token: string; deviceToken: string }>;

/** A login with a password in the form of its static hash; `undefined` can never be right. */
export class LogIn extends Command<LoggedIn> {
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
/** `device`: one that was used for an account of this name, which may have been another. */
type Login = LogIn['login'] & Readonly<{ device: Device | undefined }>;

@CommandHandler(LogIn)
export class LogInHandler implements ICommandHandler<LogIn> {
  readonly attempts = new LoginCounts();
  readonly #places = new LoginPlaces();
  readonly #dummyHash: Promise<string>;

  constructor(
    private readonly commands: CommandRunner,
    private readonly names: UserNames,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly sealer: Sealer,
    private readonly tokens: TokenSigner,
    private readonly devices: DeviceTokens,
    private readonly clock: Clock,
    private readonly security: SecurityLog,
  ) {
    this.#dummyHash = dummyHash(hasher);
  }

  async execute({ login: asked }: LogIn): Promise<LoggedIn> {
    const account = nameHash(asked.username);
    const shown = asked.deviceToken ? this.devices.read(asked.deviceToken, this.clock.now()) : undefined;
    const login = { ...asked, device: shown?.nameHash === account ? shown : undefined };
    const place = { account, address: login.address, device: login.device?.id };
    const room = this.#places.roomFor(place);
    // Strangers who fill the line of a network must not keep out a source in it that the account knows.
    const isWelcome =
      room === 'all' || (room === 'known' && (await this.throttle.isKnown({ factor: 'password', ...place })));
    if (!isWelcome) {
      this.attempts.add('password', 'failed');
      throw new HashQueueFull();
    }
    return this.#places.run(place, () => this.#logIn(login));
  }

  async #logIn(login: Login): Promise<LoggedIn> {
    const report = new LoginReport(this.security, login.origin);
    const account = await report.watch('password', () =>
      this.attempts.measure('password', () => this.#verifyPassword(login, report)),
    );
    const token = account.twoFactor
      ? await report.watch('one_time_code', () =>
          this.attempts.measure('one_time_code', () => this.#startWithCode(login, account)),
        )
      : await this.#startSession(login, account, undefined);
    const { accountId, username, twoFactor } = account;
    const id = deviceOf(login, account)?.id;
    const device = { id, accountId, nameHash: nameHash(username), enrolment: twoFactor?.enrolment };
    return { token, deviceToken: this.devices.sign(device, this.clock.now()) };
  }

  /** The same number of hashes and store operations whether the name is unknown, the password wrong or empty, or the account disabled. */
  async #verifyPassword(login: Login, report: LoginReport): Promise<Account> {
    const { username, address, device } = login;
    const attempt = { factor: 'password', account: nameHash(username), address, device: device?.id } as const;
    const counted = await this.#admit(attempt);
    const account = await this.#matchingAccount(login, counted.isKnown, report).catch(async (error: unknown) => {
      // A try that could not be checked is no guess. A place in a full queue has its price, else crowding it would be free.
      await (error instanceof HashQueueFull ? this.throttle.refundGuess(counted) : this.throttle.refund(counted));
      throw error;
    });
    if (!account || account.disabled || login.staticHash === undefined) throw new DomainError('invalid-credentials');
    await this.#succeed(counted);
    return account;
  }

  /** The account of the name when the password is right. Known sources and unknown ones have their hashes in turn. */
  async #matchingAccount(
    { username, staticHash = '', address }: Login,
    isKnown: boolean,
    report: LoginReport,
  ): Promise<Account | undefined> {
    const account = await this.names.accountOf(username);
    report.account = account?.accountId;
    const hash = account
      ? this.sealer.open(account.sealedPasswordHash, sealedFor.password(account.accountId))
      : await this.#dummyHash;
    const asker = [isKnown ? 'known' : 'unknown', ...networksOf(address), nameHash(username)];
    return (await this.hasher.verify(staticHash, hash, asker)) ? account : undefined;
  }

  /** That a code was used before shows only when the session cannot be stored. */
  async #startWithCode(login: Login, account: Account): Promise<string> {
    const { counted, ...usedCode } = await this.#verifyCode(login, account);
    const token = await this.#startSession(login, account, usedCode).catch(async (error: unknown) => {
      // A right code that could not be stored is no failure; one that was used before is.
      if (!(error instanceof DomainError)) await this.throttle.refund(counted);
      throw error;
    });
    await this.#succeed(counted);
    return token;
  }

  async #verifyCode(login: Login, account: Account): Promise<UsedCode & { counted: CountedAttempt }> {
    const { enrolment, sealedSecret, locked } = account.twoFactor!;
    const attempt = codeTry(login, account);
    // Whoever made the wrong codes must not keep the owner out.
    if (locked && !(await this.throttle.isKnown(attempt))) throw new DomainError('one-time-code-locked');
    if (login.code.trim() === '') throw await this.#missingCode(attempt);
    const secret = this.sealer.open(sealedSecret, sealedFor.twoFactor(account.accountId));
    const counted = await this.#admit(attempt);
    const step = matchingStep(secret, login.code, this.clock.now());
    if (step !== undefined) return { enrolment, step, counted };
    if (counted.failures >= CODE_FAILURES_BEFORE_LOCK) await this.#lockCode(account, counted.failures, login.origin);
    throw new DomainError('one-time-code-invalid-at-login');
  }

  /** A missing code is no guess: front ends ask for it only after the password was right. While codes are refused they need not ask. */
  async #missingCode(attempt: LoginAttempt): Promise<DomainError> {
    const seconds = await this.throttle.secondsBlocked(attempt);
    return seconds > 0 ? new DomainError('too-many-attempts', seconds) : new DomainError('one-time-code-required');
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
    await this.commands.run(sessionStream(sessionId, accountId), command, context);
    return token;
  }

  async #lockCode({ accountId }: Account, failures: number, origin: Origin): Promise<void> {
    const context = { actor: `login:${accountId}`, ...origin };
    await this.commands.run(accountStream(accountId), { type: 'LockTwoFactor', failures }, context);
  }

  /** Counters may be lost; whoever was right must not be refused for them, least of all with a code that is spent. */
  async #succeed(counted: CountedAttempt): Promise<void> {
    await this.throttle.recordSuccess(counted).catch((error: unknown) => {
      if (!isRetryable(error)) throw error;
    });
  }

  async #admit(attempt: LoginAttempt): Promise<CountedAttempt> {
    const admission = await this.throttle.admit(attempt);
    if (!admission.admitted) throw new DomainError('too-many-attempts', admission.retryAfterSeconds);
    return admission.counted;
  }
}

/**
 * Codes are counted for each enrolment and each password anew: wrong ones of a secret that was given up do not lock its successor, and
 * whoever tried them knew a password that is none any more. A device that has not passed a code of this enrolment proves a password only, so
 * for codes it is unknown.
 */
function codeTry(login: Login, account: Account): LoginAttempt {
  const { accountId, credential, twoFactor } = account;
  const { address } = login;
  const { enrolment } = twoFactor!;
  const shown = deviceOf(login, account);
  const device = shown?.enrolment === enrolment ? shown.id : undefined;
  return { factor: 'one-time-code', account: `${accountId}:${credential}:${enrolment}`, address, device };
}

/** The device, unless its token is of another account that had the name before. */
const deviceOf = ({ device }: Login, { accountId }: Account) => (device?.accountId === accountId ? device : undefined);
