/** A use of a session at a time. `until` is when the session expires and the record may be removed. Both are in unix seconds. */
export type SessionUse = Readonly<{ session: string; at: number; until: number }>;

/** Stores when sessions were last used, for all processes. Not part of the events: a crash may lose the latest uses. */
export abstract class SessionUses {
  /** Records a use, unless a later one of the session is recorded. Throws `StoreUnavailable`. */
  abstract record(use: SessionUse): Promise<void>;
  /** Returns the last recorded use of each of these sessions that has one, in unix seconds. One round trip. */
  abstract lastUses(sessions: readonly string[]): Promise<Map<string, number>>;
}
