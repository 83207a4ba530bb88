import { timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { generateSecret, generateSync } from 'otplib';
import { create, toDataURL } from 'qrcode';

const STEP_MS = 30_000;
const ISSUER = 'OpenList';
const PICTURE_POINTS = 400;
const QUIET_MODULES = 4;
/** In characters. A QR code cannot hold the longest name; this many characters always fit, however they are escaped. */
const MAX_LABEL = 128;

/** Returns 160 random bits (RFC 4226 section 4) as 32 base32 characters. */
export function newTotpSecret(): string {
  return generateSecret({ length: 20 });
}

/** Returns whether codes can be made from a secret that another service has issued. */
export const isTotpSecret = (secret: string): boolean => codeOf(secret, 0) !== undefined;

/**
 * Returns the URI that authenticator apps read from the QR code (wire contract 2.3). Its label is `OpenList:<username>` for any name,
 * truncated to 128 characters of the name.
 */
export function otpauthUri({ username, secret }: Readonly<{ username: string; secret: string }>): string {
  // compat: the issuer, the parameters and their order are the original's, because apps identify an account by them.
  const label = `${ISSUER}:${encodeURIComponent([...username.toWellFormed()].slice(0, MAX_LABEL).join(''))}`;
  return `otpauth://totp/${label}?algorithm=SHA1&digits=6&issuer=${ISSUER}&period=30&secret=${secret}`;
}

/** Returns a QR code as the data URL of a PNG of 400 x 400 pixels (wire contract 2.3). Rejects texts over 2,331 bytes, the limit of level M. */
export async function qrPicture(text: string): Promise<string> {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  // The code of a long name takes ten milliseconds, and so does its picture.
  await setImmediate();
  // Every module gets the same whole number of points: a stretched code of a long text cannot be read.
  const scale = Math.floor(PICTURE_POINTS / (modules.size + 2 * QUIET_MODULES));
  const margin = (PICTURE_POINTS - modules.size * scale) / 2 / scale;
  return toDataURL(text, { errorCorrectionLevel: 'M', type: 'image/png', scale, margin });
}

/**
 * Returns the time step (RFC 6238, 30 s, SHA-1) of a six-digit code. Accepts the step of `nowMs` (unix milliseconds) and its two neighbours,
 * to allow for clock skew and typing. Returns undefined for any other code, or if the secret is not base32. Ignores white space around the
 * code. The caller must ensure that each step is used only once.
 */
export function matchingStep(secret: string, code: string, nowMs: number): number | undefined {
  const digits = code.trim();
  if (!/^[0-9]{6}$/.test(digits)) return undefined;
  const now = Math.floor(nowMs / STEP_MS);
  // Always compares all three, so that the duration does not reveal which one matched.
  const matches = [now - 1, now, now + 1].filter((step) => isCodeOf(secret, step, digits));
  return matches[0];
}

function isCodeOf(secret: string, step: number, digits: string): boolean {
  const expected = codeOf(secret, step);
  return expected !== undefined && timingSafeEqual(Buffer.from(expected), Buffer.from(digits));
}

function codeOf(secret: string, step: number): string | undefined {
  try {
    return generateSync({ strategy: 'hotp', secret, counter: step });
  } catch {
    return undefined;
  }
}
