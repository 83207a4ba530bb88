import type { NameClaim } from './name-claim.js';

/**
 * Says which free names an account may not give itself; an administrator may give out any. SSH and SFTP servers look accounts up by
 * name, so whoever takes over a name meets what others still connect with its last owner.
 */
export class NameRules {
  readonly #systemNames: ReadonlySet<string>;

  /**
   * `releasedFor`: how long a released name is kept for its last owner, in milliseconds; 0 keeps none. `systemNames` are reserved for
   * ever.
   */
  constructor(
    private readonly releasedFor: number,
    systemNames: readonly string[],
  ) {
    this.#systemNames = new Set(systemNames.map(alike));
  }

  /** Whether only an administrator can give the free name to the account; `now` in unix milliseconds. */
  isReserved({ username, released }: NameClaim, accountId: number, now: number): boolean {
    if (this.#systemNames.has(alike(username))) return true;
    if (!released || released.by === accountId) return false;
    // The clock of the process that stored the release may be ahead of this one.
    return Math.max(0, now - released.at) < this.releasedFor;
  }
}

/** Names that a server may take for the same: it ignores case, width or spaces around them. */
const alike = (username: string) => username.normalize('NFKC').trim().toLowerCase();
