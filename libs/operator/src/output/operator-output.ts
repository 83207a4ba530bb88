/** `done` of `total`, both counted in `unit` (a singular noun). */
export type Progress = Readonly<{ done: number; total: number; unit: string }>;

/** Where a command writes its lines. A promise ends when there is room for the next one. */
export type OperatorOutput = Readonly<{
  /** The result. */
  out(line: string): Promise<void>;
  /** Warnings, failures and other lines that are not part of the result. */
  err(line: string): Promise<void>;
  /** Shows how far a long command has come. An output without progress leaves it out. */
  progress?(progress: Progress): Promise<void>;
}>;
