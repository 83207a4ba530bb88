import { bodyText } from './body-text.js';
import { goQuote } from './go-quote.js';

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
