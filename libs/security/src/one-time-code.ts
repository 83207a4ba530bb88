import { timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { generateSecret, generateSync } from 'otplib';
import { create, toDataURL } from 'qrcode';

const STEP_MS = 30_000;
const ISSUER = 'OpenList';
const PICTURE_POINTS = 400;
const QUIET_MODULES = 4;
/** A QR code holds less than the longest name: this many letters always fit, however they are escaped. */
const LABEL_LETTERS = 128;

/** 160 random bits (RFC 4226 section 4) as 32 base32 letters. */
export function newTotpSecret(): string {
  return generateSecret({ length: 20 });
}

/**
 * The address that authenticator apps read from the QR code (wire contract 2.3). Whatever letters the name has, a URL parser
 * gives back the label `OpenList:<username>`, cut after 128 letters.
 */
export function otpauthUri({ username, secret }: Readonly<{ username: string; secret: string }>): string {
  // compat: the original's issuer, parameters and their order; apps file the account under these.
  const label = `${ISSUER}:${encodeURIComponent([...username.toWellFormed()].slice(0, LABEL_LETTERS).join(''))}`;
  return `otpauth://totp/${label}?algorithm=SHA1&digits=6&issuer=${ISSUER}&period=30&secret=${secret}`;
}

/**
 * A QR code as a data URL of a PNG of 400 x 400 points (wire contract 2.3). Rejects a text of more than 2331 bytes, the most that
 * level M holds.
 */
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
 * The time step (RFC 6238, 30 s, SHA-1) whose six-digit code this is: the step of `nowMs` (unix milliseconds) or one beside it,
 * to allow for clocks and typing. Undefined for any other code and for a secret that is not base32. Spaces around the code are
 * ignored. A code must count once only: that is for the caller, by the step.
 */
export function matchingStep(secret: string, code: string, nowMs: number): number | undefined {
  const digits = code.trim();
  if (!/^[0-9]{6}$/.test(digits)) return undefined;
  const now = Math.floor(nowMs / STEP_MS);
  // All three are computed and compared, so that the time does not tell which one it was.
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
