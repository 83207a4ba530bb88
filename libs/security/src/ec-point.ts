import { createPublicKey } from 'node:crypto';

/** A NIST curve: its name in JSON Web Keys, the bits of a coordinate, the order of the group (FIPS 186-4, D.1.2). */
type Curve = Readonly<{ jwk: string; bits: number; order: bigint }>;

export const CURVES = {
  nistp256: {
    jwk: 'P-256',
    bits: 256,
    order: 2n ** 256n - 2n ** 224n + 2n ** 192n - 0x4319055258e8617b0c46353d039cdaafn,
  },
  nistp384: { jwk: 'P-384', bits: 384, order: 2n ** 384n - 0x389cb27e0bc8d220a7e5f24db74f58851313e695333ad68dn },
  nistp521: {
    jwk: 'P-521',
    bits: 521,
    order: 2n ** 521n - 0x5ae79787c40d069948033feb708f65a2fc44a36477663b851449048e16ec79bf7n,
  },
} as const satisfies Record<string, Curve>;

/**
 * Returns whether the bytes are an uncompressed point (RFC 5656 section 3.1) on the curve. Like OpenSSH, refuses coordinates that are tiny
 * or reach the order of the group, because no properly generated key has them.
 */
export function isPointOf({ jwk, bits, order }: Curve, bytes: Buffer): boolean {
  const size = Math.ceil(bits / 8);
  if (bytes.length !== 1 + 2 * size || bytes[0] !== 4) return false;
  const [x, y] = [bytes.subarray(1, 1 + size), bytes.subarray(1 + size)];
  const isPlausible = [x, y]
    .map((part) => BigInt(`0x${part.toString('hex')}`))
    .every((c) => c >> BigInt(bits >> 1) > 0n && c < order - 1n);
  return isPlausible && isOnCurve(jwk, x, y);
}

function isOnCurve(jwk: string, x: Buffer, y: Buffer): boolean {
  const key = { kty: 'EC', crv: jwk, x: x.toString('base64url'), y: y.toString('base64url') };
  try {
    createPublicKey({ format: 'jwk', key });
    return true;
  } catch {
    return false;
  }
}
