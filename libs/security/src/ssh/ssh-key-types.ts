import { createPublicKey } from 'node:crypto';

/** Why a text is not accepted as a key. */
export type SshKeyFault = 'weak' | 'damaged' | 'kind refused' | 'options before the key' | 'several keys' | 'too long';

/** Validates the parts of a key after its type. Returns the size in bits, or why the key is not accepted. */
type KeyValidator = (...parts: Buffer[]) => number | SshKeyFault;

const RSA_BITS = { min: 2048, max: 8192 };
const RSA_EXPONENT_BITS = 24;

/** A NIST curve: its name in JSON Web Keys, the bits of a coordinate, the order of the group (FIPS 186-4, D.1.2). */
type Curve = Readonly<{ jwk: string; bits: number; order: bigint }>;

const CURVES = {
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

/** The accepted key types. DSA keys, certificates and all others are refused. */
export const KEY_TYPES: ReadonlyMap<string, KeyValidator> = new Map<string, KeyValidator>([
  ['ssh-ed25519', ed25519],
  ['ecdsa-sha2-nistp256', ecdsa('nistp256')],
  ['ecdsa-sha2-nistp384', ecdsa('nistp384')],
  ['ecdsa-sha2-nistp521', ecdsa('nistp521')],
  ['ssh-rsa', rsa],
  ['sk-ssh-ed25519@openssh.com', onSecurityKey(ed25519)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', onSecurityKey(ecdsa('nistp256'))],
]);

/** RFC 8709 section 4: 32 bytes. Like OpenSSH, accepts any 32 bytes, because an invalid point harms only its owner. */
function ed25519(...[point, ...rest]: Buffer[]): number | SshKeyFault {
  return point?.length === 32 && rest.length === 0 ? 256 : 'damaged';
}

/** RFC 5656 section 3.1: the name of the curve, then the point. */
function ecdsa(name: keyof typeof CURVES): KeyValidator {
  const curve = CURVES[name];
  return (...[inner, point, ...rest]) => {
    const complete = inner?.toString('latin1') === name && point !== undefined && rest.length === 0;
    return complete && isPointOf(curve, point) ? curve.bits : 'damaged';
  };
}

/** RFC 4253 section 6.6: exponent, then modulus. compat: the limits of the exponent and the maximum of the modulus are the original's. */
function rsa(...[e, n, ...rest]: Buffer[]): number | SshKeyFault {
  if (!e || !n || rest.length > 0) return 'damaged';
  const exponent = positiveInteger(e);
  const modulus = positiveInteger(n);
  if (!isOdd(exponent) || exponent < 3n || !isOdd(modulus)) return 'damaged';
  const bits = bitsOf(modulus);
  if (bits < RSA_BITS.min) return 'weak';
  return bits > RSA_BITS.max || bitsOf(exponent) > RSA_EXPONENT_BITS ? 'kind refused' : bits;
}

/** OpenSSH's PROTOCOL.u2f: the plain key, then its application. */
function onSecurityKey(plain: KeyValidator): KeyValidator {
  return (...parts) => {
    const application = parts.pop();
    return application && !application.includes(0) ? plain(...parts) : 'damaged';
  };
}

/** Returns the value of a positive mpint (RFC 4251 section 5) in its canonical form, else 0. */
function positiveInteger(bytes: Buffer): bigint {
  const [first = 0, second = 0] = bytes;
  const negative = first >= 0x80;
  const padded = first === 0 && second < 0x80;
  return negative || padded ? 0n : BigInt(`0x${bytes.toString('hex')}`);
}

const isOdd = (value: bigint) => value % 2n === 1n;
const bitsOf = (value: bigint) => value.toString(2).length;

/**
 * Returns whether the bytes are an uncompressed point (RFC 5656 section 3.1) on the curve. Like OpenSSH, refuses coordinates that are tiny
 * or reach the order of the group, because no properly generated key has them.
 */
function isPointOf({ jwk, bits, order }: Curve, bytes: Buffer): boolean {
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
