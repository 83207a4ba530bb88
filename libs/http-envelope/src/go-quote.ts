/**
 * Quotes a text as Go's strconv.Quote does, for the error messages of wire contract 1.9. Malformed UTF-8 must be decoded by
 * {@link bodyText}.
 */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escape)}"`;
}

function escape(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  if (character >= '\udc80' && character <= '\udcff') return `\\x${hex.slice(2)}`;
  if (hex.length <= 2 && character < '\x80') return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
