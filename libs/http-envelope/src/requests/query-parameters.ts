import { bodyText, goQuote, parseWhole } from '../go-text.js';
import { Refusal } from '../refusal.js';

/** The parameters of a query. Names are case-sensitive. The first of several values wins. */
export class QueryParameters {
  constructor(
    private readonly values: ReadonlyMap<string, string>,
    /** Describes the first malformed pair in the words of Go's net/url. Malformed pairs count as missing. */
    readonly error?: string,
  ) {}

  get(name: string): string | undefined {
    return this.values.get(name);
  }

  entries(): IterableIterator<[string, string]> {
    return this.values.entries();
  }
}

const NO_PARAMETERS = new QueryParameters(new Map());

/** Parses the part of a URL after the question mark as Go's url.ParseQuery does (wire contract 1.9). Never throws. */
export function parseQuery(rawQuery: string): QueryParameters {
  if (rawQuery === '') return NO_PARAMETERS;
  const values = new Map<string, string>();
  const errors: string[] = [];
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue;
    const equals = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
    const error = problemOf(pair, name, value);
    if (error !== undefined) errors.push(error);
    else if (!values.has(unescape(name))) values.set(unescape(name), unescape(value));
  }
  return new QueryParameters(values, errors[0]);
}

function problemOf(pair: string, name: string, value: string): string | undefined {
  if (pair.includes(';')) return 'invalid semicolon separator in query';
  const malformed = malformedEscape.exec(name) ?? malformedEscape.exec(value);
  return malformed === null ? undefined : `invalid URL escape ${goQuote(decoded(malformed[0]))}`;
}

const malformedEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/;

function unescape(part: string): string {
  const spaced = part.replaceAll('+', ' ');
  if (/^[ -$&-~]*$/.test(spaced)) return spaced;
  // Node represents each byte of a URL as one character. Unescape to bytes first, so that escaped and plain bytes can form one UTF-8 character.
  return decoded(spaced.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))));
}

const decoded = (bytes: string) => bodyText(Buffer.from(bytes, 'latin1'));

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
