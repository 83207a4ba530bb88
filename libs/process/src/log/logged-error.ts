import { reasonOf } from '@keyfold/event-store';
import { pino, type SerializedError } from 'pino';

/**
 * Returns the fields of an error that are safe to log. Errors of libraries carry more, such as the document that could not be stored,
 * which may contain secrets.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, stack, code } = pino.stdSerializers.err(error) as SerializedError & { code?: unknown };
  return { type, message: reasonOf(error), stack, ...(code !== undefined && { code }) };
}
