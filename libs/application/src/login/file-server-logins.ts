import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, mayLogInOver, type Account, type LoginProtocol } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import { appPasswordHash, LoginThrottle, staticHash } from '@keyfold/security';
import { AppPasswordCheck } from '../caller/app-password-check.js';
import { CommandRunner } from '../commands/command-runner.js';
import { CodeCheck, loginContext } from './code-check.js';
import { refundUnknownAppPassword, refuseFor } from './counted-attempts.js';
import { LoginReport } from './login-outcomes.js';
import { PasswordCheck } from './password-check.js';
import type { Origin } from '../origin.js';
import { SecurityLog } from '../security-log/security-log.js';
import { nameHash, nonexistentIdFor, UserNames } from './user-names.js';

/** The password and the code of a login; the code is empty if none was given. */
export type GivenSecrets = Readonly<{ password: string; code: string }>;

/**
 * Separates the password from a one-time code. Clients of FTP and WebDAV have no field for a code, so it follows the password directly, but only if the
 * account has two-factor and the code was not asked for separately: then `code` is not undefined.
 */
export function givenSecrets(
  { password, code }: Readonly<{ password: string; code: string | undefined }>,
  account: Account | undefined,
): GivenSecrets {
  const [, before, digits] = /^(.*)(\d{6})$/s.exec(password) ?? [];
  if (code !== undefined || !account?.twoFactor || before === undefined || digits === undefined)
    return { password, code: code ?? '' };
  return { password: before, code: digits };
}

/** How an account proved itself to a file server. */
export type FileServerFactor = 'public-key' | 'password' | 'one-time-code' | 'recovery-code' | 'app-password';

/**
 * The answer to a file server: the account and its proofs, or why it is refused. Only a right password or app password gets more than `refused`: `code required`
 * if the account has two-factor, `not permitted` if it is disabled or lacks the permission for the protocol.
 */
export type FileServerLogin =
  Readonly<{ account: Account; factors: readonly FileServerFactor[] }> | 'code required' | 'not permitted' | 'refused';

/**
 * Checks a login to a file server by password. It starts no session. `password`: the password of the account, directly followed by the six digits of a code if
 * `code` is undefined and the account has two-factor; or an app password for the protocol. `address`: the client's. `onRightPassword` is called if the password
 * of the account is right, even if that is not enough.
 *
 * @throws `too-many-attempts`; `HashQueueFull`.
 */
export class CheckFileServerLoginCommand extends Command<FileServerLogin> {
  constructor(
    readonly login: Readonly<{
      protocol: LoginProtocol;
      username: string;
      password: string;
      code: string | undefined;
      address: string;
      origin: Origin;
      onRightPassword?: (account: Account) => void;
    }>,
  ) {
    super();
  }
}
type Login = CheckFileServerLoginCommand['login'];

@CommandHandler(CheckFileServerLoginCommand)
export class CheckFileServerLoginHandler implements ICommandHandler<CheckFileServerLoginCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly passwords: PasswordCheck,
    private readonly codes: CodeCheck,
    private readonly appPasswords: AppPasswordCheck,
    private readonly names: UserNames,
    private readonly throttle: LoginThrottle,
    private readonly security: SecurityLog,
  ) {}

  async execute({ login }: CheckFileServerLoginCommand): Promise<FileServerLogin> {
    const report = new LoginReport(this.security, login.origin);
    try {
      const opened = await this.passwords.watch(report, () => this.#openByAppPassword(login, report));
      if (opened) return { account: opened, factors: ['app-password'] };
      return await this.passwords.queued(attemptOf(login), () => this.#checkPassword(login, report));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'too-many-attempts') throw error;
      if (error.code === 'login-not-permitted') return 'not permitted';
      return error.code === 'one-time-code-required' ? 'code required' : 'refused';
    }
  }

  /**
   * Returns the account if the text is one of its app passwords; undefined if the account does not know the text, which may then be the password.
   * Neither waits in the queues nor counts as an attempt, because nobody can guess 100 bits. An unknown name takes the same store operations.
   *
   * @throws `invalid-credentials` or `login-not-permitted` for an app password that does not open this login; `too-many-attempts`.
   */
  async #openByAppPassword(
    { protocol, username, password, address, origin }: Login,
    report: LoginReport,
  ): Promise<Account | undefined> {
    const hash = appPasswordHash(password);
    if (hash === undefined) return undefined;
    refuseFor(await this.throttle.secondsUntilLookUp(address));
    const account = await this.names.accountOf(username);
    const accountId = account?.accountId ?? nonexistentIdFor(nameHash(username));
    const login = { protocol, mayEnter: account !== undefined && mayEnter(account, protocol), origin };
    const outcome = await this.appPasswords.check(accountId, hash, login);
    if (outcome === 'unknown') {
      refuseFor(await this.throttle.countUnknownAppPassword(address));
      return undefined;
    }
    report.account = accountId;
    if (outcome === 'not permitted') throw new DomainError('login-not-permitted');
    if (outcome === 'refused') throw new DomainError('invalid-credentials');
    return account;
  }

  async #checkPassword(login: Login, report: LoginReport): Promise<FileServerLogin> {
    const { protocol, password, address } = login;
    const door = {
      givenHash: (found: Account | undefined) => staticHash(givenSecrets(login, found).password),
      isOpenFor: (found: Account) => {
        login.onRightPassword?.(found);
        return mayEnter(found, protocol);
      },
    };
    const verified = this.passwords.verify(attemptOf(login), report, door);
    // It was counted before it reached this check.
    if (appPasswordHash(password) !== undefined && (await wasRight(verified)))
      await refundUnknownAppPassword(this.throttle, address);
    const account = await verified;
    if (!account.twoFactor) return { account, factors: ['password'] };
    const code = await report.watch('one_time_code', () =>
      this.passwords.counts.count('one_time_code', () => this.#useCode(login, account)),
    );
    return { account, factors: ['password', code] };
  }

  #useCode(login: Login, account: Account): Promise<FileServerFactor> {
    const { protocol, address, origin } = login;
    const given = { code: givenSecrets(login, account).code, address, device: undefined, origin };
    return this.codes.useFor(given, account, async ({ usedCode }) => {
      if (!usedCode) return 'recovery-code';
      const command = { type: 'UseOneTimeCode', usedCode, protocol } as const;
      await this.runner.run(accountStream(account.accountId), command, loginContext(account.accountId, origin));
      return 'one-time-code';
    });
  }
}

/** Returns whether the password is right, even if the account may not log in. */
const wasRight = (verified: Promise<Account>): Promise<boolean> =>
  verified.then(
    () => true,
    (error: unknown) => error instanceof DomainError && error.code === 'login-not-permitted',
  );

const attemptOf = ({ username, address }: Login) => ({ username, address, device: undefined });

const mayEnter = ({ disabled, permission }: Account, protocol: LoginProtocol): boolean =>
  !disabled && mayLogInOver(protocol, permission);

/** An enabled account, as file servers see it. `basePath` is normalized and starts with `/`. */
export type FileServerAccount = Readonly<{ accountId: number; username: string; basePath: string; permission: number }>;

/**
 * Finds the enabled accounts with these names. Proves nothing about who asks: check a password or a key, too, before admitting anyone. An
 * unknown name costs as many store operations as a known one.
 */
export class FindFileServerAccountsQuery extends Query<ReadonlyMap<string, FileServerAccount>> {
  /** @param usernames distinct names; the caller bounds their number */
  constructor(readonly usernames: readonly string[]) {
    super();
  }
}

/** Leaves out unknown names, and deleted and disabled accounts. */
@QueryHandler(FindFileServerAccountsQuery)
export class FindFileServerAccountsHandler implements IQueryHandler<FindFileServerAccountsQuery> {
  constructor(private readonly names: UserNames) {}

  async execute({ usernames }: FindFileServerAccountsQuery): Promise<ReadonlyMap<string, FileServerAccount>> {
    const found = await Promise.all(usernames.map((username) => this.names.accountOf(username)));
    const enabled = found.filter((account) => account !== undefined).filter(({ disabled }) => !disabled);
    return new Map(
      enabled.map(({ accountId, username, basePath, permission }) => [
        username,
        { accountId, username, basePath, permission },
      ]),
    );
  }
}
