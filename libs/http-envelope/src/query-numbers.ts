import { goQuote } from './go-quote.js';
import type { QueryParameters } from './query-parameters.js';
import { Refusal } from './refusal.js';
import { parseWhole } from './whole-number.js';

/** Which part of a list is asked for. `page` starts at 1; an unlimited `perPage` is the largest safe integer. */
export type Paging = Readonly<{ page: number; perPage: number }>;

/** A whole number as Go's strconv.Atoi reads it; Refusal 400 with its text otherwise (wire contract 1.9). */
export function atoi(text: string): number {
  return wholeNumber('Atoi', text);
}

/** `page` and `per_page` of a list (wire contract 2.9). A broken query or a text that is no number is a Refusal 400. */
export function parsePaging(query: QueryParameters): Paging {
  if (query.error !== undefined) throw new Refusal(400, query.error);
  const page = pagingNumber(query.get('page'));
  const perPage = pagingNumber(query.get('per_page'));
  return { page: page > 0 ? page : 1, perPage: perPage > 0 ? perPage : Number.MAX_SAFE_INTEGER };
}

/** The items of one page. compat: page 2 and later of an unlimited list are empty (wire contract 2.9). */
export function pageOf<T>(items: readonly T[], { page, perPage }: Paging): T[] {
  const start = (page - 1) * perPage;
  return items.slice(start, start + perPage);
}

/** compat: white space around a number does not count and an empty one is 0, as in the original's form reader. */
function pagingNumber(text = ''): number {
  const trimmed = withoutSpace(text);
  return trimmed === '' ? 0 : wholeNumber('ParseInt', trimmed);
}

/** By Unicode's White_Space, as Go cuts it off. Letter by letter, because a pattern for the end would start anew at each space of a long text. */
function withoutSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text[start]!)) start++;
  while (start < end && SPACE.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const SPACE = /\p{White_Space}/u;

function wholeNumber(reader: 'Atoi' | 'ParseInt', text: string): number {
  const value = parseWhole(text, 'int');
  if (typeof value === 'number') return value;
  throw new Refusal(400, `strconv.${reader}: parsing ${goQuote(text)}: ${value}`);
}
