import { hash } from 'node:crypto';
import { KEY_TYPES } from './ssh-key-types.js';

/** `blob` is the wire form in base64, `fingerprint` and `bits` are as `ssh-keygen -lf` prints them. */
export type SshPublicKey = Readonly<{ type: string; blob: string; fingerprint: string; bits: number; comment: string }>;

const MAX_TEXT_BYTES = 16 * 1024;
/** What Go's `unicode.IsSpace` calls a space; a byte order mark is none. */
const BLANK = /\p{White_Space}/u;

/**
 * The one key in a text of the form of `authorized_keys` (sshd(8)): `<type> <base64> [comment]`, blank lines and `#` lines around it.
 * Undefined for everything that an SSH server would not honour: options, several keys, certificates, DSA, RSA outside 2048 to 8192
 * bits, a type word that is not the key's, broken points and numbers. Blanks at the ends and the spelling of the base64 are taken as the
 * original takes them; what comes back is the usual spelling. Never throws.
 */
export function parseSshPublicKey(text: string): SshPublicKey | undefined {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return undefined;
  const lines = trimmed(text)
    .split('\n')
    .map((line) => line.split('\r').map(trimmed))
    .filter(([start = '']) => !start.startsWith('#'));
  // compat: the original reads a line up to its first carriage return. A key behind it would be a second one.
  const [line = '', ...others] = lines.map(([start = '']) => start).filter((start) => start !== '');
  const ignored = lines.flatMap(([, ...rest]) => rest);
  if (others.length > 0 || ignored.some((rest) => keyOfLine(rest))) return undefined;
  return keyOfLine(line);
}

function keyOfLine(line: string): SshPublicKey | undefined {
  const [type, rest] = firstWord(line);
  const [base64, comment] = firstWord(rest);
  const bytes = decodeBase64(base64);
  const bits = bytes && bitsOfKey(type, bytes);
  if (!bytes || bits === undefined) return undefined;
  return { type, blob: bytes.toString('base64'), fingerprint: fingerprintOf(bytes), bits, comment };
}

/** The word that the first space or tab ends, and what follows. */
function firstWord(text: string): [string, string] {
  const end = text.search(/[ \t]/);
  return end === -1 ? [text, ''] : [text.slice(0, end), trimmed(text.slice(end))];
}

/** As Go's `strings.TrimSpace`. In loops, because a pattern would look at blanks in the middle again and again. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BLANK.test(text[start]!)) start++;
  while (start < end && BLANK.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Refuses missing padding and other alphabets. compat: spare bits of the last letter may be set, as for the original. */
function decodeBase64(text: string): Buffer | undefined {
  const isBase64 = text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, 'base64') : undefined;
}

function bitsOfKey(type: string, bytes: Buffer): number | undefined {
  const [innerType, ...parts] = wireStrings(bytes) ?? [];
  if (innerType?.toString('latin1') !== type) return undefined;
  return KEY_TYPES.get(type)?.(...parts);
}

/** The bytes as a row of strings (RFC 4251 section 5), or undefined when they do not come out even. */
function wireStrings(bytes: Buffer): Buffer[] | undefined {
  const strings: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return undefined;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    strings.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return strings;
}

function fingerprintOf(bytes: Buffer): string {
  return `SHA256:${hash('sha256', bytes, 'base64').replace(/=+$/, '')}`;
}
