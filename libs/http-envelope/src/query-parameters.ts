import { bodyText } from './body-text.js';
import { goQuote } from './go-quote.js';

/** The parameters of a query. Names are case-sensitive; of two values with one name the first wins. */
export class QueryParameters {
  constructor(
    private readonly values: ReadonlyMap<string, string>,
    /** The first pair that could not be read, in the words of Go's net/url; the pair itself counts as missing. */
    readonly error?: string,
  ) {}

  get(name: string): string | undefined {
    return this.values.get(name);
  }
}

const NO_PARAMETERS = new QueryParameters(new Map());

/** Reads the part of a URL behind the question mark as Go's url.ParseQuery does (wire contract 1.9). Never throws. */
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
  const broken = brokenEscape.exec(name) ?? brokenEscape.exec(value);
  return broken === null ? undefined : `invalid URL escape ${goQuote(lettersOf(broken[0]))}`;
}

const brokenEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/;

function unescape(part: string): string {
  const spaced = part.replaceAll('+', ' ');
  if (/^[ -$&-~]*$/.test(spaced)) return spaced;
  // Node hands over the bytes of a URL one letter each, so escaped and bare bytes join before UTF-8 is read.
  return lettersOf(spaced.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))));
}

const lettersOf = (bytes: string) => bodyText(Buffer.from(bytes, 'latin1'));
