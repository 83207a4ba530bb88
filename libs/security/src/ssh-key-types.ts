import { CURVES, isPointOf } from './ec-point.js';

/** Validates the parts of a key after its type. Returns the size in bits, or undefined if a part is invalid. */
type KeyValidator = (...parts: Buffer[]) => number | undefined;

const RSA_BITS = { min: 2048, max: 8192 };
const RSA_EXPONENT_BITS = 24;

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
function ed25519(...[point, ...rest]: Buffer[]): number | undefined {
  return point?.length === 32 && rest.length === 0 ? 256 : undefined;
}

/** RFC 5656 section 3.1: the name of the curve, then the point. */
function ecdsa(name: keyof typeof CURVES): KeyValidator {
  const curve = CURVES[name];
  return (...[inner, point, ...rest]) => {
    const complete = inner?.toString('latin1') === name && point !== undefined && rest.length === 0;
    return complete && isPointOf(curve, point) ? curve.bits : undefined;
  };
}

/** RFC 4253 section 6.6: exponent, then modulus. compat: the limits of the exponent and the maximum of the modulus are the original's. */
function rsa(...[e, n, ...rest]: Buffer[]): number | undefined {
  if (!e || !n || rest.length > 0) return undefined;
  const exponent = positiveInteger(e);
  const modulus = positiveInteger(n);
  if (!isOdd(exponent) || exponent < 3n || bitsOf(exponent) > RSA_EXPONENT_BITS) return undefined;
  const bits = bitsOf(modulus);
  return isOdd(modulus) && bits >= RSA_BITS.min && bits <= RSA_BITS.max ? bits : undefined;
}

/** OpenSSH's PROTOCOL.u2f: the plain key, then its application. */
function onSecurityKey(plain: KeyValidator): KeyValidator {
  return (...parts) => {
    const application = parts.pop();
    return application && !application.includes(0) ? plain(...parts) : undefined;
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
