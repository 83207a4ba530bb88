/** What a worker must be told; each number comes from a setting of the README. */
export type WorkerConfig = Readonly<{
  /** How long a process that fell silent keeps its slots of the feed (`KEYFOLD_LEASE_SECONDS`). */
  leaseMilliseconds: number;
  /** How long sessions are kept after their token has expired, a part of a day included (`KEYFOLD_SESSION_DAYS`). */
  sessionDays: number;
}>;
