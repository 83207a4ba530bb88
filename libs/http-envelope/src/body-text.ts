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
