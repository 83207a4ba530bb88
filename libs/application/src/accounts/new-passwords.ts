import type { NewPassword } from '@keyfold/domain';
import { HashQueueFull, PasswordHasher, Sealer, staticHash } from '@keyfold/security';
import { Clock } from '../clock.js';
import { KeyedQueue } from '../keyed-queue.js';
import { sealedFor } from '../sealed-for.js';
import { PasswordPolicy } from './password-policy.js';

/** Hashes that one actor may wait for. */
const WAITING_PER_ACTOR = 200;

/** Hashes and seals passwords for the account that will have them, one at a time for each that asks. */
export class NewPasswords {
  readonly #actors = new KeyedQueue();

  constructor(
    private readonly hasher: PasswordHasher,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly policy = new PasswordPolicy(),
  ) {}

  /** Throws `password-too-short` or `password-too-common`. */
  require(password: string): Promise<void> {
    return this.policy.require(password);
  }

  /** `actor` is who asks for it. Throws `HashQueueFull`, `password-too-short` or `password-too-common`. */
  async make(password: string, accountId: number, actor: string): Promise<NewPassword> {
    await this.require(password);
    return this.makeUnchecked(password, accountId, actor);
  }

  /** The same without the policy: for a password that `require` has passed, or that nobody chose. Throws `HashQueueFull`. */
  async makeUnchecked(password: string, accountId: number, actor: string): Promise<NewPassword> {
    if (this.#actors.size(actor) > WAITING_PER_ACTOR) throw new HashQueueFull();
    const hash = await this.#actors.run(actor, () => this.hasher.hash(staticHash(password), ['known', actor]));
    const sealedHash = this.sealer.seal(hash, sealedFor.password(accountId));
    return { sealedHash, timestamp: Math.floor(this.clock.now() / 1000) };
  }

  /** compat: an empty password in a change keeps the old one. */
  async makeUnlessEmpty(password: string, accountId: number, actor: string): Promise<{ password?: NewPassword }> {
    return password === '' ? {} : { password: await this.make(password, accountId, actor) };
  }
}
