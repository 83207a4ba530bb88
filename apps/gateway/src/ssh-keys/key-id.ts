import { atoi, inputRefusal, type InputRefusal, type QueryParameters } from '@keyfold/http-envelope';

/**
 * Returns an integer from the query. compat: the key routes refuse every other value with one fixed message, that of `refusal`.
 *
 * @throws Refusal 400 with that message.
 */
export function integerOf(query: QueryParameters, name: string, refusal: InputRefusal): number {
  try {
    return atoi(query.get(name) ?? '');
  } catch {
    throw inputRefusal(refusal);
  }
}

/** Returns the key id in the query. */
export const keyIdOf = (query: QueryParameters) => integerOf(query, 'id', 'key-id-invalid');
