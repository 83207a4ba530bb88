import { exitCodeOf } from './exit-code.js';
import { masked } from './masked.js';

/** Errors whose message tells an operator what to do; by name, because the store that is not used is not even loaded. */
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
]);

/** Says on standard error why the process cannot start, and ends it. */
export function reportAndExit(error: unknown): never {
  process.stderr.write(`keyfold cannot start: ${masked(explain(error))}\n`);
  process.exit(exitCodeOf(error));
}

/** What to do about it, for everything an operator can do something about; else the whole error. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (OPERATOR_ERRORS.has(error.name) || (error as NodeJS.ErrnoException).syscall) return error.message;
  return error.stack ?? error.message;
}
