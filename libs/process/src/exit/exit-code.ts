import { InvalidConfiguration } from '../settings/read-settings.js';

/** How a process or a command ended. */
export type ExitCode = number;

export const DONE: ExitCode = 0;
/** It found problems, or failed. */
export const FAILED: ExitCode = 1;
/** A command line that is none, as shells say it. */
export const WRONG_USAGE: ExitCode = 2;
/** EX_CONFIG of sysexits.h. */
const WRONG_SETTINGS: ExitCode = 78;
/** 128 and the number of SIGINT. */
export const INTERRUPTED: ExitCode = 130;

/** How to end because of an error. */
export const exitCodeOf = (error: unknown): ExitCode =>
  error instanceof InvalidConfiguration ? WRONG_SETTINGS : FAILED;
