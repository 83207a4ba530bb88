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
