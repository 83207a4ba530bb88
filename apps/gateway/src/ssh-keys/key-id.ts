import { atoi, Refusal, type QueryParameters } from '@keyfold/http-envelope';

/** A whole number of the query; compat: the key routes have one fixed text for everything else. */
export function wholeNumberOf(query: QueryParameters, name: string, refusal: string): number {
  try {
    return atoi(query.get(name) ?? '');
  } catch {
    throw new Refusal(400, refusal);
  }
}

/** The key that a request is about. */
export const keyIdOf = (query: QueryParameters) => wholeNumberOf(query, 'id', 'id format invalid');
