export type WorkerConfig = Readonly<{
  /** How long a process that fell silent keeps its slots of the feed. */
  leaseMilliseconds: number;
}>;
