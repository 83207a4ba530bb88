import { hash } from 'node:crypto';
import { KEY_TYPES, type SshKeyFault } from './ssh-key-types.js';

/** A parsed key. `blob` is its wire form in base64. `fingerprint` and `bits` are what `ssh-keygen -lf` prints. */
export type SshPublicKey = Readonly<{ type: string; blob: string; fingerprint: string; bits: number; comment: string }>;

export const MAX_TEXT_BYTES = 16 * 1024;
/** The same as Go's `unicode.IsSpace`, which excludes the byte order mark. */
const BLANK = /\p{White_Space}/u;
/** Options in front of a key: words and quoted texts with commas between them (sshd(8)). */
const OPTIONS = /^(?:[^\s"]|"(?:\\.|[^"\\])*")+[ \t]+/;
/** Other types, signature algorithms, and the headers of private keys and of other formats. */
const OTHER_KIND = /^(?:ssh|rsa|ecdsa|sk|x509|webauthn|PuTTY)-|^-----?[ ]?BEGIN/;

/**
 * Parses the single key of a text in the format of `authorized_keys` (sshd(8)): `<type> <base64> [comment]`, with optional blank lines and
 * `#` lines around it. Returns undefined for options, several keys, certificates, DSA, RSA outside 2048 to 8192 bits, a type that does not
 * match the key, and invalid points or numbers. Accepts surrounding white space and non-canonical base64 as the original does, and returns
 * the canonical form. Never throws.
 */
export function parseSshPublicKey(text: string): SshPublicKey | undefined {
  const key = readSshPublicKey(text);
  return isKey(key) ? key : undefined;
}

/** Returns the same key, or why the text is refused. */
export function readSshPublicKey(text: string): SshPublicKey | SshKeyFault {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return 'too long';
  const [line = '', ...others] = keyLinesIn(text);
  return others.length > 0 && KEY_TYPES.has(firstWord(line)[0]) ? 'several keys' : keyOfLine(line);
}

const isKey = (key: SshPublicKey | SshKeyFault) => typeof key === 'object';

/** Returns the line that should be the key, and others that make several of it. */
function keyLinesIn(text: string): string[] {
  const lines = trimmed(text)
    .split('\n')
    .map((line) => line.split('\r').map(trimmed))
    .filter(([start = '']) => !start.startsWith('#'));
  // compat: the original reads a line up to its first carriage return. A key after it counts as a second key.
  const [line = '', ...others] = lines.map(([start = '']) => start).filter((start) => start !== '');
  const ignored = lines.flatMap(([, ...rest]) => rest);
  return [line, ...others, ...ignored.filter((rest) => isKey(keyOfLine(rest)))];
}

/**
 * Parses a key that a client offered to a file server: a line as above, or the base64 of its wire form alone, as rclone passes it. Certificates and
 * everything else that `parseSshPublicKey` refuses are undefined too.
 */
export function parseOfferedKey(text: string): SshPublicKey | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return parseSshPublicKey(text);
  const type = wireStrings(Buffer.from(text, 'base64'))?.[0]?.toString('latin1') ?? '';
  return KEY_TYPES.has(type) ? parseSshPublicKey(`${type} ${text}`) : undefined;
}

function keyOfLine(line: string): SshPublicKey | SshKeyFault {
  const [type, rest] = firstWord(line);
  const validate = KEY_TYPES.get(type);
  if (!validate) return faultOf(line);
  const [base64, comment] = firstWord(rest);
  const bytes = decodeBase64(base64);
  const [innerType, ...parts] = (bytes && wireStrings(bytes)) ?? [];
  if (!bytes || innerType?.toString('latin1') !== type) return 'damaged';
  const bits = validate(...parts);
  if (typeof bits === 'string') return bits;
  return { type, blob: bytes.toString('base64'), fingerprint: fingerprintOf(bytes), bits, comment };
}

/** Returns why a line that does not begin with an accepted type is no key. */
function faultOf(line: string): SshKeyFault {
  if (OTHER_KIND.test(line)) return 'kind refused';
  const behindOptions = line.replace(OPTIONS, '');
  return behindOptions !== line && KEY_TYPES.has(firstWord(behindOptions)[0]) ? 'options before the key' : 'damaged';
}

/** Splits a text at its first space or tab. */
function firstWord(text: string): [string, string] {
  const end = text.search(/[ \t]/);
  return end === -1 ? [text, ''] : [text.slice(0, end), trimmed(text.slice(end))];
}

/** The same as Go's `strings.TrimSpace`. A loop, because a regular expression takes quadratic time on a long run of spaces. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BLANK.test(text[start]!)) start++;
  while (start < end && BLANK.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Returns undefined for missing padding and other alphabets. compat: like the original, ignores the unused bits of the last character. */
function decodeBase64(text: string): Buffer | undefined {
  const isBase64 = text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, 'base64') : undefined;
}

/** Splits the bytes into strings (RFC 4251 section 5), or returns undefined if a length is wrong. */
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
