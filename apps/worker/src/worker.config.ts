export type WorkerConfig = Readonly<{
  /** How long a process that fell silent keeps its slots of the feed. */
  leaseMilliseconds: number;
  /** How long sessions are kept after their token has expired. */
  sessionDays: number;
}>;
