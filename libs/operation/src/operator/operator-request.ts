import type { ExitCode } from '../process/exit-code.js';

/** What an operator asks for, as it travels from the command line to the process that carries it out. */
export type OperatorRequest = Readonly<{ command: string; args: Readonly<Record<string, unknown>> }>;

/** `done` of `total`, both counted in `unit` (a singular noun). */
export type Progress = Readonly<{ done: number; total: number; unit: string }>;

/** Where a command writes its lines. A promise ends when there is room for the next one. */
export type OperatorOutput = Readonly<{
  /** What was asked for. */
  out(line: string): Promise<void>;
  /** Warnings, failures and what else is no result. */
  err(line: string): Promise<void>;
  /** How far a long command has come, out of how much. An output that shows none leaves it out. */
  progress?(progress: Progress): Promise<void>;
}>;

/** Carries out a request; `signal` asks it to stop at the next step. */
export type RunOperatorRequest = (
  request: OperatorRequest,
  output: OperatorOutput,
  signal: AbortSignal,
) => Promise<ExitCode>;

/** Which events `feed replay` sends; times in unix milliseconds, `from` included and `to` not. */
export type ReplaySelectionArgs = Readonly<{
  from?: number | undefined;
  to?: number | undefined;
  types?: readonly string[] | undefined;
  account?: number | undefined;
}>;
