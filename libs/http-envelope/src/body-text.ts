import { isUtf8 } from 'node:buffer';

/**
 * The letters of a body or a query. compat: the original stores broken UTF-8 as it was sent and answers the escape `\ufffd` for each broken byte
 * (wire contract 1.9). Here such a byte becomes half a surrogate pair, which JSON can carry and which is answered the same way.
 */
export function bodyText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = lengthOfLetter(bytes[at]!);
    const letter = bytes.subarray(at, at + length);
    const whole = length === 1 ? bytes[at]! < 0x80 : letter.length === length && isUtf8(letter);
    text += whole ? letter.toString('utf8') : String.fromCharCode(0xdc00 + bytes[at]!);
    at += whole ? length : 1;
  }
  return text;
}

/** How many bytes a letter has that starts with this one (RFC 3629); 1 for a byte that starts none. */
function lengthOfLetter(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 1;
}
