import type { NewPassword } from '@keyfold/domain';
import { PasswordHasher, Sealer, staticHash } from '@keyfold/security';
import { Clock } from '../clock.js';
import { sealedFor } from '../sealed-for.js';

/** Hashes and seals passwords for the account that will have them. */
export class NewPasswords {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  /** Throws `HashQueueFull`. */
  async make(password: string, accountId: number): Promise<NewPassword> {
    const hash = await this.hasher.hash(staticHash(password));
    const sealedHash = this.sealer.seal(hash, sealedFor.password(accountId));
    return { sealedHash, timestamp: Math.floor(this.clock.now() / 1000) };
  }

  /** compat: an empty password in a change keeps the old one. */
  async makeUnlessEmpty(password: string, accountId: number): Promise<{ password?: NewPassword }> {
    return password === '' ? {} : { password: await this.make(password, accountId) };
  }
}
