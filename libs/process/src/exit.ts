import { reasonOf } from '@keyfold/reporting';
import { maskSecrets } from './log/create-log.js';
import { InvalidConfiguration } from './settings/read-settings.js';

export type ExitCode = number;

export const DONE: ExitCode = 0;
/** A command found problems or failed. */
export const FAILED: ExitCode = 1;
export const WRONG_USAGE: ExitCode = 2;
/** EX_CONFIG of sysexits.h. */
const WRONG_SETTINGS: ExitCode = 78;
/** 128 plus the number of SIGINT. */
export const INTERRUPTED: ExitCode = 130;

export const exitCodeOf = (error: unknown): ExitCode =>
  error instanceof InvalidConfiguration ? WRONG_SETTINGS : FAILED;

/** Errors whose message says what the operator must do. Compared by name, because the classes of an unused store are not loaded. */
const OPERATOR_ERRORS = new Set([
  'AlreadyRunning',
  'FolderInUse',
  'HashQueueFull',
  'InvalidConfiguration',
  'OperatorSocketError',
  'SealBroken',
  'StoreUnavailable',
  'UnknownSealingKey',
  'UnusableAddress',
  'UnusableDatabase',
  'UnusableFile',
  'UnusableFolder',
]);

/** Prints to standard error why the process cannot start, and exits. */
export function reportAndExit(error: unknown): never {
  process.stderr.write(`keyfold cannot start: ${maskSecrets(explain(error))}\n`);
  process.exit(exitCodeOf(error));
}

/** Returns the message of an error that an operator can fix; for other errors the stack trace. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return reasonOf(error);
  if (OPERATOR_ERRORS.has(error.name)) return error.message;
  // Errors of the operating system; a host with several addresses yields an `AggregateError`.
  if ('syscall' in error || error instanceof AggregateError) return reasonOf(error);
  return error.stack ?? reasonOf(error);
}
