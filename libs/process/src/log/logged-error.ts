import { reasonOf } from '@keyfold/event-store';
import { pino, type SerializedError } from 'pino';

/** What the log tells of an error. Errors of libraries also carry what they were about, a document for instance, which may be secret. */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, stack, code } = pino.stdSerializers.err(error) as SerializedError & { code?: unknown };
  return { type, message: reasonOf(error), stack, ...(code !== undefined && { code }) };
}
