import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * An access token is a text of fixed length: `kf_`, the id of the token, 160 random bits, and the CRC-32 of everything before it, the
 * last three as base62 digits. The id leads to the account. The checksum lets scanners find leaked tokens without false alarms.
 */

const PREFIX = 'kf_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const [ID_DIGITS, SECRET_DIGITS, SUM_DIGITS] = [9, 27, 6];
const SECRET_BYTES = 20;
const SECRET_START = PREFIX.length + ID_DIGITS;
const SUM_START = SECRET_START + SECRET_DIGITS;
const FORM = /^kf_[0-9A-Za-z]{42}$/;

/** The content of the text of a token, which need not exist: its id, and the hash of its secret. */
export type AccessTokenText = Readonly<{ tokenId: number; hash: string }>;

/** Returns a secret of 160 random bits and the hash to store for it. A secret of this length needs no slow hash. */
export function newAccessTokenSecret(): Readonly<{ secret: string; hash: string }> {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS);
  return { secret, hash: hashOf(secret) };
}

export function accessTokenText(tokenId: number, secret: string): string {
  const text = `${PREFIX}${base62(BigInt(tokenId), ID_DIGITS)}${secret}`;
  return text + checksumOf(text);
}

/** Returns whether a text has the form of an access token, whatever its checksum. */
export const isAccessTokenForm = (text: string): boolean => text.startsWith(PREFIX) && FORM.test(text);

/** Reads a text that has the form of an access token. Returns undefined if its checksum is wrong or its id is not possible. */
export function readAccessToken(text: string): AccessTokenText | undefined {
  if (checksumOf(text.slice(0, SUM_START)) !== text.slice(SUM_START)) return undefined;
  let tokenId = 0;
  for (const digit of text.slice(PREFIX.length, SECRET_START)) tokenId = tokenId * 62 + DIGITS.indexOf(digit);
  if (!Number.isSafeInteger(tokenId)) return undefined;
  return { tokenId, hash: hashOf(text.slice(SECRET_START, SUM_START)) };
}

const hashOf = (secret: string) => hash('sha256', secret, 'base64url');
const checksumOf = (text: string) => base62(BigInt(crc32(text)), SUM_DIGITS);

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; rest > 0n; rest /= 62n) digits = DIGITS[Number(rest % 62n)]! + digits;
  return digits.padStart(length, '0');
}
