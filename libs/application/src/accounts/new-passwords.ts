import { Injectable } from '@nestjs/common';
import { DomainError, type NewPassword } from '@keyfold/domain';
import { isCommonPassword, PasswordHasher, Sealer, staticHash } from '@keyfold/security';
import { Clock } from '../commands/clock.js';
import { sealingContext } from '../secrets/sealing.js';

/** Requirements for new passwords. `minLength` counts Unicode code points; 0 means no minimum. */
export type PasswordRules = Readonly<{ minLength: number; refuseCommon: boolean }>;

/** Checks new passwords against the rules. Stored passwords stay valid, even if they break rules that were set later. */
export class PasswordPolicy {
  constructor(private readonly rules: PasswordRules = { minLength: 0, refuseCommon: false }) {}

  /** Throws `password-too-short` or `password-too-common` if the rules refuse the password. */
  async assertAcceptable(password: string): Promise<void> {
    const { minLength, refuseCommon } = this.rules;
    if ([...password].length < minLength) throw new DomainError('password-too-short', { limit: minLength });
    if (refuseCommon && (await isCommonPassword(password))) throw new DomainError('password-too-common');
  }
}

/** Hashes and seals new passwords for an account, one at a time for each actor. */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly policy: PasswordPolicy = new PasswordPolicy(),
  ) {}

  /** Throws `password-too-short` or `password-too-common` if the policy refuses the password. */
  require(password: string): Promise<void> {
    return this.policy.assertAcceptable(password);
  }

  /**
   * Hashes and seals a password at the request of `actor`.
   *
   * @throws `HashQueueFull`, `password-too-short` or `password-too-common`.
   */
  async make(password: string, accountId: number, actor: string): Promise<NewPassword> {
    await this.require(password);
    return this.makeUnchecked(password, accountId, actor);
  }

  /**
   * Hashes and seals a password without the policy: one that `require` has accepted, or that no person chose.
   *
   * @throws `HashQueueFull`.
   */
  async makeUnchecked(password: string, accountId: number, actor: string): Promise<NewPassword> {
    const hash = await this.hasher.hashFor(actor, staticHash(password));
    const sealedHash = this.sealer.seal(hash, sealingContext.password(accountId));
    return { sealedHash, timestamp: Math.floor(this.clock.now() / 1000) };
  }

  /** Like `make`, but returns no password for an empty text. compat: an empty password in an update keeps the old one. */
  async makeUnlessEmpty(password: string, accountId: number, actor: string): Promise<{ password?: NewPassword }> {
    return password === '' ? {} : { password: await this.make(password, accountId, actor) };
  }
}
