/** A user name that a command asks for, as it was when the holds were read. The holds decide between concurrent claims. */
export type NameClaim = Readonly<{
  username: string;
  /** The hex SHA-256 of the exact name. */
  nameHash: string;
  /** The next free turn, or `taken` if an account has the name. */
  turn: number | 'taken';
  /** The end of the previous turn: its owner and the time in unix milliseconds. Absent in the first turn and if the name is taken. */
  released?: Readonly<{ by: number; at: number }>;
}>;

/**
 * Reserves free names against accounts that rename themselves; an administrator may assign any free name. SSH and SFTP servers look up
 * accounts by name, so the new owner of a name could receive access that was meant for the previous one.
 */
export class NameRules {
  readonly #systemNames: ReadonlySet<string>;

  /**
   * @param releasedFor how long a released name is reserved for its last owner, in milliseconds; 0 reserves none
   * @param systemNames names that are always reserved
   */
  constructor(
    private readonly releasedFor: number,
    systemNames: readonly string[],
  ) {
    this.#systemNames = new Set(systemNames.map(canonical));
  }

  /** Returns whether only an administrator can assign the free name to the account. `now` is in unix milliseconds. */
  isReserved({ username, released }: NameClaim, accountId: number, now: number): boolean {
    if (this.#systemNames.has(canonical(username))) return true;
    if (!released || released.by === accountId) return false;
    // The clock of the process that stored the release may be ahead of this one.
    return Math.max(0, now - released.at) < this.releasedFor;
  }
}

/** The first letters of the names of stand-ins: users of a file server who stand for those that must not come in. */
export const STAND_IN_PREFIX = 'keyfold-nobody-';

/** Returns whether a server may take the name for that of a stand-in. No account can be given such a name. */
export const isStandInName = (username: string): boolean => canonical(username).startsWith(STAND_IN_PREFIX);

/** Returns one form for all names that a server may treat as equal: some ignore case, width or surrounding spaces. */
const canonical = (username: string) => username.normalize('NFKC').trim().toLowerCase();
