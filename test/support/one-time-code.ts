import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 30_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Computes the six digits of a base32 secret at a time step (RFC 6238 with SHA-1, RFC 4226 section 5.3). Does not use
 * the server's library, so that it can expose the library's mistakes.
 */
export function oneTimeCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Returns the number of the 30-second step that contains a time in milliseconds. */
export function stepOf(time: number): number {
  return Math.floor(time / STEP_MS);
}

/** Waits until the current step has at least `milliseconds` left. */
export async function untilStepHasLeft(milliseconds: number): Promise<void> {
  const left = STEP_MS - (Date.now() % STEP_MS);
  if (left < milliseconds) await sleep(left + 20);
}

function fromBase32(text: string): Buffer {
  let bits = 0n;
  const letters = text.toUpperCase().replace(/=+$/, '');
  for (const letter of letters) {
    const value = BASE32.indexOf(letter);
    if (value < 0) throw new Error(`not base32: ${text}`);
    bits = (bits << 5n) | BigInt(value);
  }
  const length = Math.floor((letters.length * 5) / 8);
  const whole = bits >> BigInt((letters.length * 5) % 8);
  return Buffer.from(whole.toString(16).padStart(length * 2, '0'), 'hex');
}
