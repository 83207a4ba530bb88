/**
 * A use of a token at a time. `token` is the id of its session, `access-token-<id>` or `app-password-<id>`. `until` is when the record may be removed, at the
 * earliest when the token expires. Both are in unix seconds.
 */
export type TokenUse = Readonly<{ token: string; at: number; until: number }>;

/** Stores when tokens were last used, for all processes. Not part of the events: a crash may lose the latest uses. */
export abstract class TokenUses {
  /** Records a use, unless a later one of the token is recorded. The latest `until` counts. Throws `StoreUnavailable`. */
  abstract record(use: TokenUse): Promise<void>;
  /** Returns the last recorded use of each of these tokens that has one, in unix seconds. One round trip. */
  abstract lastUses(tokens: readonly string[]): Promise<Map<string, number>>;
  /** Removes the records of these tokens. */
  abstract forget(tokens: readonly string[]): Promise<void>;
}
