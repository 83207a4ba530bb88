/**
 * A text in double quotes as Go's strconv.Quote writes it; error texts of wire contract 1.9 need it. Bytes that are no UTF-8 come as
 * {@link bodyText} has them.
 */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escape)}"`;
}

function escape(letter: string): string {
  const short = shortEscapes[letter];
  if (short !== undefined) return short;
  const hex = (letter.codePointAt(0) ?? 0).toString(16);
  if (letter >= '\udc80' && letter <= '\udcff') return `\\x${hex.slice(2)}`;
  if (hex.length <= 2 && letter < '\x80') return `\\x${hex.padStart(2, '0')}`;
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
