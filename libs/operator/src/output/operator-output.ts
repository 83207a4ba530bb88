/** The progress of a command: `done` of `total`, in `unit`, a singular noun. */
export type Progress = Readonly<{ done: number; total: number; unit: string }>;

/** The output of a command. Each promise resolves when the next line can be written. */
export type OperatorOutput = Readonly<{
  /** Writes a line of the result. */
  out(line: string): Promise<void>;
  /** Writes a warning, an error or another line that is not part of the result. */
  err(line: string): Promise<void>;
  /** Shows the progress of a long command. Optional. */
  progress?(progress: Progress): Promise<void>;
}>;
