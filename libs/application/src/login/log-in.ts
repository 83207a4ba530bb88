import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError, type Account, type SessionStarted, type StartSession } from '@keyfold/domain';
import { sessionStream } from '@keyfold/projections';
import {
  DeviceTokens,
  dummyHash,
  HashQueueFull,
  LoginThrottle,
  networksOf,
  PasswordHasher,
  Sealer,
  TokenSigner,
  type Device,
} from '@keyfold/security';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { CommandRunner } from '../command-runner.js';
import type { Origin } from '../origin.js';
import { sealingContext } from '../sealing-context.js';
import { SecurityLog } from '../security-log/security-log.js';
import { nameHash, UserNames } from '../user-names.js';
import { CodeCheck, type RightCode } from './code-check.js';
import { admit, refundUnchecked, succeed } from './counted-attempts.js';
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
/** `device` has logged in to an account of this name, possibly to a former owner of the name. */
type Login = LogInCommand['login'] & Readonly<{ device: Device | undefined }>;

@CommandHandler(LogInCommand)
export class LogInHandler implements ICommandHandler<LogInCommand> {
  readonly attempts = new LoginCounts();
  readonly #dummyHash: Promise<string>;
  readonly #codes: CodeCheck;

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
    this.#codes = new CodeCheck(runner, throttle, sealer, clock);
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
    const counted = await admit(this.throttle, attempt);
    const account = await this.#matchingAccount(login, counted.isKnown, report).catch(async (error: unknown) => {
      await refundUnchecked(this.throttle, counted, error);
      throw error;
    });
    if (!account || account.disabled || login.staticHash === undefined) throw new DomainError('invalid-credentials');
    await succeed(this.throttle, counted);
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

  /** A code that was used before is only detected when the commit that spends it is refused. */
  async #startWithCode(login: Login, account: Account): Promise<string> {
    const { code, address, origin } = login;
    const right = await this.#codes.verify({ code, address, device: codeDeviceOf(login, account), origin }, account);
    const token = await this.#start(login, account, right).catch(async (error: unknown) => {
      // A right code counts as a failure only if it was used before, not if the store failed.
      if (!(error instanceof DomainError)) await this.throttle.refund(right.counted);
      throw error;
    });
    await succeed(this.throttle, right.counted);
    return token;
  }

  async #start(login: Login, account: Account, right: RightCode): Promise<string> {
    await this.#codes.spend(right, account, login.origin);
    return this.#startSession(login, account, right);
  }

  async #startSession(login: Login, account: Account, right: RightCode | undefined): Promise<string> {
    const { accountId, username, passwordTimestamp, credential } = account;
    const sessionId = randomUUID();
    const subject = { accountId, sessionId, username, passwordTimestamp, now: this.clock.now() };
    const token = this.tokens.sign(subject);
    const { iat: startedAt, exp: expiresAt } = this.tokens.read(token)!;
    const session = {
      sessionId,
      accountId,
      credential,
      factors: factorsOf(right),
      address: login.address,
      client: login.client,
      startedAt,
      expiresAt,
    };
    const command: StartSession = {
      type: 'StartSession',
      session,
      ...(right?.usedCode && { usedCode: right.usedCode }),
    };
    const context = { actor: `login:${accountId}`, ...login.origin, newStream: true } as const;
    await this.runner.run(sessionStream(sessionId, accountId), command, context);
    return token;
  }
}

function factorsOf(right: RightCode | undefined): SessionStarted['data']['factors'] {
  if (!right) return ['password'];
  return ['password', right.usedCode ? 'one-time-code' : 'recovery-code'];
}

/** Returns the device if it has passed a code of the present enrolment. */
function codeDeviceOf(login: Login, account: Account): string | undefined {
  const shown = deviceOf(login, account);
  return shown?.enrolment === account.twoFactor!.enrolment ? shown.id : undefined;
}

/** Returns the device, unless its token belongs to a former owner of the name. */
const deviceOf = ({ device }: Login, { accountId }: Account) => (device?.accountId === accountId ? device : undefined);
