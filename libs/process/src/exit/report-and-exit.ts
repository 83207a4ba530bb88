import { reasonOf } from '@keyfold/event-store';
import { exitCodeOf } from './exit-code.js';
import { masked } from '../log/masked.js';

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
  'UnusableFolder',
]);

/** Says on standard error why the process cannot start, and ends it. */
export function reportAndExit(error: unknown): never {
  process.stderr.write(`keyfold cannot start: ${masked(explain(error))}\n`);
  process.exit(exitCodeOf(error));
}

/** What to do about it, for everything an operator can do something about; else the whole error. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return reasonOf(error);
  if (OPERATOR_ERRORS.has(error.name)) return error.message;
  // What the operating system refuses; at several addresses it is one error of several.
  if ('syscall' in error || error instanceof AggregateError) return reasonOf(error);
  return error.stack ?? reasonOf(error);
}
