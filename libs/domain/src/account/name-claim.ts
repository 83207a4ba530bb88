/**
 * A user name as an account wants to hold it: the exact text, the hex SHA-256 of it, and the turn that is free next, or `taken`
 * when somebody held it at the time of looking (the holds decide when two look at once). `released` is the end of the turn before
 * that one, with its owner and the time in unix milliseconds; absent when nobody had the name before, or somebody has it now.
 */
export type NameClaim = Readonly<{
  username: string;
  nameHash: string;
  turn: number | 'taken';
  released?: Readonly<{ by: number; at: number }>;
}>;
