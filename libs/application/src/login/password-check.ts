import { Injectable, Optional } from '@nestjs/common';
import { DomainError, type Account } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import {
  dummyHash,
  HashQueueFull,
  isWrapped,
  LoginThrottle,
  networksOf,
  PasswordHasher,
  Sealer,
  type HashGroups,
} from '@keyfold/security';
import { CommandRunner } from '../commands/command-runner.js';
import { sealingContext } from '../secrets/sealing.js';
import { loginContext } from './code-check.js';
import { nameHash, UserNames } from './user-names.js';
import { admit, refundUnchecked, succeed } from './counted-attempts.js';
import { LoginCounts, type LoginReport } from './login-outcomes.js';
import { RecentLogins } from './recent-logins.js';
import { LoginQueues, type LeaveQueues, type LoginIdentity } from './login-queues.js';

/** A name for which somebody tries a password, and the source of the attempt. `device` has logged in to an account of this name. */
export type PasswordAttempt = Readonly<{ username: string; address: string; device: string | undefined }>;

/** A door that takes passwords. */
export type Door = Readonly<{
  /** Returns the static hash of the given password. `account` is undefined if nobody has the name. An undefined hash is always wrong. */
  givenHash: (account: Account | undefined) => string | undefined;
  /** Returns whether the door is open for an account whose password was right. */
  isOpenFor: (account: Account) => boolean;
}>;

/** Reports what goes wrong in logins that succeed. Abstract, so that it is both type and injection token. */
export abstract class LoginProblems {
  /** The imported hash of the account stays until a later login replaces it. */
  abstract hashNotReplaced(accountId: number, error: unknown): void;
}

/** Checks the passwords of logins. Every attempt waits in its queues and counts before it is checked, whichever server it comes through. */
@Injectable()
export class PasswordCheck {
  /** The outcomes of the password and code checks of this thread. */
  readonly counts: LoginCounts;
  readonly #dummyHash: Promise<string>;

  constructor(
    private readonly names: UserNames,
    private readonly hasher: PasswordHasher,
    private readonly queues: LoginQueues,
    private readonly throttle: LoginThrottle,
    private readonly sealer: Sealer,
    private readonly runner: CommandRunner,
    recent: RecentLogins,
    @Optional() private readonly problems?: LoginProblems,
  ) {
    this.counts = new LoginCounts((outcome) => recent.add(outcome));
    this.#dummyHash = dummyHash(hasher);
  }

  /**
   * Runs a login once its queues admit it.
   *
   * @throws HashQueueFull if too many logins wait.
   */
  async queued<Result>({ username, ...source }: PasswordAttempt, login: () => Promise<Result>): Promise<Result> {
    const leave = await this.#enterQueues({ account: nameHash(username), ...source });
    try {
      return await login();
    } finally {
      leave();
    }
  }

  async #enterQueues(identity: LoginIdentity): Promise<LeaveQueues> {
    let entered = await this.queues.enter(identity, false);
    if (entered === 'known only' && (await this.throttle.isKnown({ factor: 'password', ...identity })))
      entered = await this.queues.enter(identity, true);
    if (typeof entered === 'function') return entered;
    this.counts.add('password', 'failed');
    throw new HashQueueFull();
  }

  /** Runs a check of a password, counts its outcome and reports a refusal. An undefined result leaves both to another check. For `ends` see `LoginCounts`. */
  watch<Result>(
    report: LoginReport,
    check: () => Promise<Result>,
    ends?: (result: Result) => boolean,
  ): Promise<Result> {
    return report.watch('password', () => this.counts.count('password', check, ends));
  }

  /**
   * Returns the account of the attempt. Takes the same hash and store operations whether the name is unknown or the password wrong, whatever the state
   * of the account. A right password is no guess, even if the door is closed for its account.
   *
   * @throws `invalid-credentials`, `login-not-permitted` or `too-many-attempts`; `HashQueueFull`.
   */
  verify(attempt: PasswordAttempt, report: LoginReport, door: Door): Promise<Account> {
    // With two-factor on, the code decides.
    return this.watch(
      report,
      () => this.#verify(attempt, report, door),
      ({ twoFactor }) => !twoFactor,
    );
  }

  async #verify({ username, ...source }: PasswordAttempt, report: LoginReport, door: Door): Promise<Account> {
    const name = nameHash(username);
    const counted = await admit(this.throttle, { factor: 'password', account: name, ...source });
    // The hasher alternates between known and unknown sources.
    const asker = [counted.isKnown ? 'known' : 'unknown', ...networksOf(source.address), name];
    const account = await this.#matching(username, asker, report, door).catch(async (error: unknown) => {
      await refundUnchecked(this.throttle, counted, error);
      throw error;
    });
    if (!account) throw new DomainError('invalid-credentials');
    if (!door.isOpenFor(account)) {
      await this.throttle.refund(counted);
      throw new DomainError('login-not-permitted');
    }
    await succeed(this.throttle, counted);
    return account;
  }

  async #matching(
    username: string,
    asker: HashGroups,
    report: LoginReport,
    { givenHash }: Door,
  ): Promise<Account | undefined> {
    const account = await this.names.accountOf(username);
    report.account = account?.accountId;
    const hash = account
      ? this.sealer.open(account.sealedPasswordHash, sealingContext.password(account.accountId))
      : await this.#dummyHash;
    const given = givenHash(account);
    const isRight = await this.hasher.verify(given ?? '', hash, asker);
    if (!account || given === undefined || !isRight) return undefined;
    if (isWrapped(hash)) await this.#rehash(account, given, asker, report);
    return account;
  }

  /** Replaces an imported hash by one of the normal form. If that fails, the next login tries again. */
  async #rehash(account: Account, staticHash: string, asker: HashGroups, { origin }: LoginReport): Promise<void> {
    const { accountId, sealedPasswordHash } = account;
    try {
      const passwordHash = await this.hasher.hash(staticHash, asker);
      const sealed = this.sealer.seal(passwordHash, sealingContext.password(accountId));
      const command = { type: 'ResealSecrets', resealed: new Map([[sealedPasswordHash, sealed]]) } as const;
      await this.runner.run(accountStream(accountId), command, loginContext(accountId, origin));
    } catch (error) {
      // The password is right, so the login goes on.
      this.problems?.hashNotReplaced(accountId, error);
    }
  }
}
