import { isUtf8 } from 'node:buffer';

/**
 * Decodes the bytes of a body or a query. compat: the original stores malformed UTF-8 as it was sent, and sends back `\ufffd` for
 * each malformed byte (wire contract 1.9). Keyfold decodes such a byte to an unpaired surrogate, which survives JSON and is sent back
 * in the same way.
 */
export function bodyText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes[at]!);
    const sequence = bytes.subarray(at, at + length);
    const isValid = length === 1 ? bytes[at]! < 0x80 : sequence.length === length && isUtf8(sequence);
    text += isValid ? sequence.toString('utf8') : String.fromCharCode(0xdc00 + bytes[at]!);
    at += isValid ? length : 1;
  }
  return text;
}

/** Returns the length of the UTF-8 sequence that this byte starts (RFC 3629), or 1 for a byte that cannot start one. */
function sequenceLength(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 1;
}

/**
 * Quotes a text as Go's strconv.Quote does, for the error messages of wire contract 1.9. Malformed UTF-8 must be decoded by
 * `bodyText`.
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

/** Integer types on the wire. `int` has 64 bits and a sign, as in Go on a 64-bit machine. */
export type WholeKind = 'uint64' | 'int' | 'int32';

/** The smallest and the largest value, inclusive. */
export const wholeRanges: Readonly<Record<WholeKind, readonly [bigint, bigint]>> = {
  uint64: [0n, 2n ** 64n - 1n],
  int: [-(2n ** 63n), 2n ** 63n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
};

/** Why a text is not a number of its kind, in the words of Go's strconv. */
export type WholeProblem = 'invalid syntax' | 'value out of range';

/**
 * Parses decimal digits with an optional sign. Clamps values beyond 2^53 to the nearest safe integer: as ids they match nothing,
 * and rounding could turn them into an existing id.
 */
export function parseWhole(text: string, kind: WholeKind): number | WholeProblem {
  const [, sign, digits = '', rest] = /^([+-]?)0*(\d*)(.*)$/s.exec(text) ?? [];
  // compat: strconv reads from the left, so it reports more digits than 64 bits can hold before a character that is not a digit.
  if (digits.length > maxDigits || BigInt(digits) > wholeRanges.uint64[1]) return 'value out of range';
  if (rest !== '' || !/\d$/.test(text)) return 'invalid syntax';
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  const [min, max] = wholeRanges[kind];
  if (value < min || value > max) return 'value out of range';
  return Math.min(Math.max(Number(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

const maxDigits = String(wholeRanges.uint64[1]).length;
