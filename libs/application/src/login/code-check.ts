import { Injectable } from '@nestjs/common';
import { DomainError, type Account, type UsedCode, type UseRecoveryCode } from '@keyfold/domain';
import { accountStream } from '@keyfold/projections';
import {
  CODE_FAILURES_BEFORE_LOCK,
  isRecoveryCode,
  matchingRecoveryCode,
  matchingStep,
  type CountedAttempt,
  type LoginAttempt,
  LoginThrottle,
  Sealer,
} from '@keyfold/security';
import { Clock } from '../commands/clock.js';
import { type CommandContext, CommandRunner } from '../commands/command-runner.js';
import { withoutCommandId, type Origin } from '../origin.js';
import { sealingContext } from '../secrets/sealing.js';
import { admit, succeed } from './counted-attempts.js';

/** A one-time code or recovery code as a client sends it. `device` is set if it has passed a code of the account's enrolment. */
export type GivenCode = Readonly<{ code: string; address: string; device: string | undefined; origin: Origin }>;
/** A right code that may have been used before: the commit that spends it decides. */
export type RightCode = Readonly<{ counted: CountedAttempt; usedCode?: UsedCode; recoveryCode?: UseRecoveryCode }>;

/** Checks the codes of accounts with two-factor, and counts each attempt before it is checked. */
@Injectable()
export class CodeCheck {
  constructor(
    private readonly runner: CommandRunner,
    private readonly throttle: LoginThrottle,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  /** Throws the refusal of a wrong, missing, locked or throttled code. The caller records the success, or refunds the attempt. */
  async verify(given: GivenCode, account: Account): Promise<RightCode> {
    const attempt = codeAttempt(given, account);
    if (isRecoveryCode(given.code)) return this.#verifyRecoveryCode(given, account, attempt);
    const { enrolment, sealedSecret, locked } = account.twoFactor!;
    // Somebody else may have entered the wrong codes, so the owner can still log in from a known source or device.
    if (locked && !(await this.throttle.isKnown(attempt))) throw new DomainError('one-time-code-locked');
    if (given.code.trim() === '') throw await this.#missingCode(attempt);
    const secret = this.sealer.open(sealedSecret, sealingContext.twoFactor(account.accountId));
    const counted = await admit(this.throttle, attempt);
    const step = matchingStep(secret, given.code, this.clock.now());
    if (step !== undefined) return { counted, usedCode: { enrolment, step } };
    return this.#refuse(given, account, counted);
  }

  /** Works while one-time codes are locked: guessing 80 bits is hopeless, and its success lifts the lock. */
  async #verifyRecoveryCode(given: GivenCode, account: Account, attempt: LoginAttempt): Promise<RightCode> {
    const codes = account.twoFactor!.recoveryCodes;
    const hashes = codes && this.sealer.open(codes.sealedCodes, sealingContext.recoveryCodes(account.accountId));
    const counted = await admit(this.throttle, attempt);
    const index = hashes ? matchingRecoveryCode(hashes, given.code) : undefined;
    if (!codes || index === undefined) return this.#refuse(given, account, counted);
    return { counted, recoveryCode: { type: 'UseRecoveryCode', series: codes.series, index } };
  }

  /**
   * Verifies a code and spends it: `use` makes the commit that spends a one-time code. Records the success, and refunds the attempt if the code was
   * right but was used before, or the store failed. Clients that open several connections repeat a code.
   */
  async useFor<Result>(
    given: GivenCode,
    account: Account,
    use: (right: RightCode) => Promise<Result>,
  ): Promise<Result> {
    const right = await this.verify(given, account);
    const used = this.spend(right, account, given.origin).then(() => use(right));
    const result = await used.catch(async (error: unknown) => {
      await this.throttle.refund(right.counted);
      throw error;
    });
    await succeed(this.throttle, right.counted);
    return result;
  }

  /**
   * Spends a recovery code. Its commit precedes whatever the code admits to, so a crash in between wastes a code but never lets one work
   * twice. Throws `one-time-code-invalid-at-login` if it was used before.
   */
  async spend({ recoveryCode }: RightCode, { accountId }: Account, origin: Origin): Promise<void> {
    if (!recoveryCode) return;
    await this.runner
      .run(accountStream(accountId), recoveryCode, loginContext(accountId, origin))
      .catch((error: unknown) => {
        throw error instanceof DomainError ? new DomainError('one-time-code-invalid-at-login') : error;
      });
  }

  async #refuse({ origin }: GivenCode, { accountId }: Account, { failures }: CountedAttempt): Promise<never> {
    if (failures >= CODE_FAILURES_BEFORE_LOCK) {
      const command = { type: 'LockTwoFactor', failures } as const;
      await this.runner.run(accountStream(accountId), command, loginContext(accountId, origin));
    }
    throw new DomainError('one-time-code-invalid-at-login');
  }

  /** Returns the refusal of a missing code. It is no guess: front ends ask for the code only after the right password. */
  async #missingCode(attempt: LoginAttempt): Promise<DomainError> {
    const retryAfterSeconds = await this.throttle.secondsBlocked(attempt);
    return retryAfterSeconds > 0
      ? new DomainError('too-many-attempts', { retryAfterSeconds })
      : new DomainError('one-time-code-required');
  }
}

/** The command id of a request belongs to the change that the code permits. */
export function loginContext(accountId: number, origin: Origin): CommandContext {
  return { actor: `login:${accountId}`, ...withoutCommandId(origin) };
}

/**
 * Returns the name by which the throttle counts the codes of an account with two-factor. The count starts again with each enrolment and each
 * password, so that wrong codes for a discarded secret or by someone who knew an old password do not lock the code.
 */
export const codeAccountKey = ({ accountId, passwordGeneration, twoFactor }: Account): string =>
  `${accountId}:${passwordGeneration}:${twoFactor!.enrolment}`;

/** A device is known only once it has used a right code of the account's enrolment. */
const codeAttempt = ({ address, device }: GivenCode, account: Account): LoginAttempt => ({
  factor: 'one-time-code',
  account: codeAccountKey(account),
  address,
  device,
});
