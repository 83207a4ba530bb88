/** What an operator asks for, as it travels from the command line to the process that carries it out. */
export type OperatorRequest = Readonly<{ command: string; args: Readonly<Record<string, unknown>> }>;

/** Where a command writes its lines. A promise ends when there is room for the next one. */
export type OperatorOutput = Readonly<{
  /** What was asked for. */
  out(line: string): Promise<void>;
  /** Progress, warnings and failures. */
  err(line: string): Promise<void>;
}>;

/** How a command ended: 0 done and all is well, 1 it found problems or failed, 2 it was used wrongly, 130 it was interrupted. */
export type ExitCode = number;

export const DONE: ExitCode = 0;
export const FAILED: ExitCode = 1;
export const WRONG_USAGE: ExitCode = 2;
export const INTERRUPTED: ExitCode = 130;

/** Carries out a request; `signal` asks it to stop at the next step. */
export type RunOperatorRequest = (
  request: OperatorRequest,
  output: OperatorOutput,
  signal: AbortSignal,
) => Promise<ExitCode>;
