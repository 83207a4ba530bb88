import { reasonOf } from '@keyfold/event-store';
import { exitCodeOf } from './exit-code.js';
import { maskSecrets } from '../log/mask-secrets.js';

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
