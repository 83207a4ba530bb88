import type { NewPassword } from '@keyfold/domain';
import { PasswordHasher, Sealer, staticHash } from '@keyfold/security';
import { Clock } from '../clock.js';
import { sealingContext } from '../sealing-context.js';
import { PasswordPolicy } from './password-policy.js';

/** Hashes and seals new passwords for an account, one at a time for each actor. */
export class NewPasswords {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly policy = new PasswordPolicy(),
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
