/** Configuration of a worker, from the settings in docs/reference/settings.md. */
export type WorkerConfig = Readonly<{
  /** Milliseconds until the slots of an unresponsive process go to others (`KEYFOLD_LEASE_SECONDS`). */
  leaseMilliseconds: number;
  /** Days to keep a session after its token has expired; may be a fraction (`KEYFOLD_SESSION_DAYS`). */
  sessionDays: number;
}>;
