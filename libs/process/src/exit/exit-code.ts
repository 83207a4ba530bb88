import { InvalidConfiguration } from '../settings/read-settings.js';

/** The exit status of a process or command. */
export type ExitCode = number;

/** Exit status for success. */
export const DONE: ExitCode = 0;
/** Exit status if a command found problems or failed. */
export const FAILED: ExitCode = 1;
/** Exit status for invalid usage. */
export const WRONG_USAGE: ExitCode = 2;
/** Exit status for invalid settings: EX_CONFIG of sysexits.h. */
const WRONG_SETTINGS: ExitCode = 78;
/** Exit status after an interruption: 128 plus the number of SIGINT. */
export const INTERRUPTED: ExitCode = 130;

/** Returns the exit status for an error. */
export const exitCodeOf = (error: unknown): ExitCode =>
  error instanceof InvalidConfiguration ? WRONG_SETTINGS : FAILED;
