import { goQuote } from './go-quote.js';
import type { QueryParameters } from './query-parameters.js';
import { Refusal } from './refusal.js';
import { parseWhole } from './whole-number.js';

/** The requested part of a list. `page` starts at 1. Without a limit, `perPage` is the largest safe integer. */
export type Paging = Readonly<{ page: number; perPage: number }>;

/**
 * Parses an integer as Go's strconv.Atoi does.
 *
 * @throws Refusal 400 with the message of strconv (wire contract 1.9).
 */
export function atoi(text: string): number {
  return wholeNumber('Atoi', text);
}

/**
 * Reads `page` and `per_page` of a list (wire contract 2.9).
 *
 * @throws Refusal 400 for a malformed query or number.
 */
export function parsePaging(query: QueryParameters): Paging {
  if (query.error !== undefined) throw new Refusal(400, query.error);
  const page = pagingNumber(query.get('page'));
  const perPage = pagingNumber(query.get('per_page'));
  return { page: page > 0 ? page : 1, perPage: perPage > 0 ? perPage : Number.MAX_SAFE_INTEGER };
}

/** Returns the number of items before a page. compat: without a limit, page 2 and later are empty (wire contract 2.9). */
export const offsetOf = ({ page, perPage }: Paging): number => Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);

/** Returns the items of one page. */
export function pageOf<T>(items: readonly T[], paging: Paging): T[] {
  const start = offsetOf(paging);
  return items.slice(start, start + paging.perPage);
}

/** compat: ignores surrounding white space and reads an empty text as 0, like the original's form reader. */
function pagingNumber(text = ''): number {
  const digits = trimmed(text);
  return digits === '' ? 0 : wholeNumber('ParseInt', digits);
}

/** Trims Unicode White_Space, as Go does. A loop, because a regular expression takes quadratic time on a long run of spaces. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text[start]!)) start++;
  while (start < end && SPACE.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const SPACE = /\p{White_Space}/u;

function wholeNumber(goFunction: 'Atoi' | 'ParseInt', text: string): number {
  const value = parseWhole(text, 'int');
  if (typeof value === 'number') return value;
  throw new Refusal(400, `strconv.${goFunction}: parsing ${goQuote(text)}: ${value}`);
}
