import { atoi, Refusal, type QueryParameters } from '@keyfold/http-envelope';

/**
 * Returns an integer from the query. compat: the key routes refuse every other value with one fixed message.
 *
 * @throws Refusal 400 with that message.
 */
export function integerOf(query: QueryParameters, name: string, message: string): number {
  try {
    return atoi(query.get(name) ?? '');
  } catch {
    throw new Refusal(400, message);
  }
}

/** Returns the key id in the query. */
export const keyIdOf = (query: QueryParameters) => integerOf(query, 'id', 'id format invalid');
