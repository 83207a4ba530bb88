import { hash } from 'node:crypto';
import { KEY_TYPES } from './ssh-key-types.js';

/** `blob` is the wire form in base64, `fingerprint` and `bits` are as `ssh-keygen -lf` prints them. */
export type SshPublicKey = Readonly<{ type: string; blob: string; fingerprint: string; bits: number; comment: string }>;

const MAX_TEXT_BYTES = 16 * 1024;
const EMPTY_OR_COMMENT = /^[ \t]*(?:#|$)/;
const KEY_LINE = /^[ \t]*([^ \t]+)[ \t]+([^ \t]+)(?:[ \t]+([^]*))?$/;

/**
 * The one key in a text of the form of `authorized_keys` (sshd(8)): `<type> <base64> [comment]`, blank lines and `#` lines around it.
 * Undefined for everything that an SSH server would not honour as it stands: options, several keys, certificates, DSA, RSA outside
 * 2048 to 8192 bits, a type word that is not the key's, broken points and numbers, another spelling of the same bytes. Never throws.
 */
export function parseSshPublicKey(text: string): SshPublicKey | undefined {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return undefined;
  const [line = '', ...others] = text.split(/\r?\n|\r$/).filter((each) => !EMPTY_OR_COMMENT.test(each));
  const [, type = '', blob = '', comment = ''] = KEY_LINE.exec(line) ?? [];
  const bytes = decodeBase64(blob);
  if (others.length > 0 || !bytes) return undefined;
  const bits = bitsOfKey(type, bytes);
  if (bits === undefined) return undefined;
  return { type, blob, fingerprint: fingerprintOf(bytes), bits, comment: comment.trimEnd() };
}

/** Refuses missing padding, other alphabets and spare bits that are not zero. */
function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
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
