import { Injectable } from '@nestjs/common';
import { DomainError, type Account, type UsedCode } from '@keyfold/domain';
import { LoginThrottle, networksOf, PasswordHasher, Sealer, staticHash, type CountedAttempt } from '@keyfold/security';
import type { Caller } from '../caller/caller.js';
import { Clock } from '../commands/clock.js';
import { CodeCheck } from '../login/code-check.js';
import { admit, refundUnchecked, succeed } from '../login/counted-attempts.js';
import { LoginReport } from '../login/login-outcomes.js';
import type { Origin } from '../origin.js';
import { sealingContext } from '../secrets/sealing.js';
import { SecurityLog } from '../security-log/security-log.js';
import { nameHash } from '../login/user-names.js';

/** The password or a code of the account. If both are given, only the password is checked. */
export type Proof = Readonly<{ password: string; code: string; address: string }>;

/** A verified proof. `usedCode` is a one-time code that the change must spend. */
type Verified = Readonly<{ counted: CountedAttempt; usedCode?: UsedCode }>;

/** How long a login is proof enough, in milliseconds. */
const RECENT = 600_000;

/** Asks for the password or a code before a change that a stolen session must not make. Attempts count like those of logins. */
@Injectable()
export class OwnerProof {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly sealer: Sealer,
    private readonly codes: CodeCheck,
    private readonly security: SecurityLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes the change. Verifies the proof first, unless the caller has logged in within the last ten minutes.
   *
   * @throws `step-up` if the proof is needed and missing; what `before` throws
   */
  async unlessRecent<Result>(
    { account, loggedInAt = 0 }: Caller,
    proof: Proof,
    origin: Origin,
    change: (usedCode?: UsedCode) => Promise<Result>,
  ): Promise<Result> {
    if (this.clock.now() - loggedInAt * 1000 <= RECENT) return change();
    if (isMissing(proof)) throw new DomainError('step-up');
    return this.before(account, proof, origin, change);
  }

  /**
   * Verifies the proof, then makes the change.
   *
   * @throws `proof-missing`, `password-wrong`, `one-time-code-invalid`, `one-time-code-locked` or `too-many-attempts`; `HashQueueFull`; what `change` throws
   */
  async before<Result>(
    account: Account,
    proof: Proof,
    origin: Origin,
    change: (usedCode: UsedCode | undefined) => Promise<Result>,
  ): Promise<Result> {
    const { counted, usedCode } = await this.#verify(account, proof, origin);
    const result = await change(usedCode).catch(async (error: unknown) => {
      await this.throttle.refund(counted);
      throw error;
    });
    await succeed(this.throttle, counted);
    return result;
  }

  #verify(account: Account, proof: Proof, origin: Origin): Promise<Verified> {
    const report = new LoginReport(this.security, origin);
    report.account = account.accountId;
    if (isMissing(proof)) throw new DomainError('proof-missing');
    if (proof.password !== '') return report.watch('password', () => this.#verifyPassword(account, proof));
    return report.watch('one_time_code', () => this.#verifyCode(account, proof, origin));
  }

  async #verifyPassword(account: Account, { password, address }: Proof): Promise<Verified> {
    const name = nameHash(account.username);
    const attempt = { factor: 'password', account: name, address, device: undefined } as const;
    const counted = await admit(this.throttle, attempt);
    const hash = this.sealer.open(account.sealedPasswordHash, sealingContext.password(account.accountId));
    const asker = [counted.isKnown ? 'known' : 'unknown', ...networksOf(address), name];
    const isRight = await this.hasher.verify(staticHash(password), hash, asker).catch(async (error: unknown) => {
      await refundUnchecked(this.throttle, counted, error);
      throw error;
    });
    if (!isRight) throw new DomainError('password-wrong');
    return { counted };
  }

  async #verifyCode(account: Account, { code, address }: Proof, origin: Origin): Promise<Verified> {
    if (!account.twoFactor) throw new DomainError('two-factor-off');
    try {
      const right = await this.codes.verify({ code, address, device: undefined, origin }, account);
      await this.codes.spend(right, account, origin);
      return right;
    } catch (error) {
      const isWrong = error instanceof DomainError && error.code === 'one-time-code-invalid-at-login';
      throw isWrong ? new DomainError('one-time-code-invalid') : error;
    }
  }
}

const isMissing = ({ password, code }: Proof) => password === '' && code.trim() === '';
