/** Integer types on the wire. `int` has 64 bits and a sign, as in Go on a 64-bit machine. */
export type WholeKind = 'uint64' | 'int' | 'int32';

/** The smallest and the largest value of each kind, inclusive. */
export const wholeRanges: Readonly<Record<WholeKind, readonly [bigint, bigint]>> = {
  uint64: [0n, 2n ** 64n - 1n],
  int: [-(2n ** 63n), 2n ** 63n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
};

/** Why a text is not a number of its kind, in the words of Go's strconv. */
export type WholeProblem = 'invalid syntax' | 'value out of range';

/**
 * Parses decimal digits with an optional sign. Clamps values beyond 2^53 to the nearest safe integer: as ids they match nothing,
 * and rounding could turn them into an existing id.
 */
export function parseWhole(text: string, kind: WholeKind): number | WholeProblem {
  const [, sign, digits = '', rest] = /^([+-]?)0*(\d*)(.*)$/s.exec(text) ?? [];
  // compat: strconv reads from the left, so it reports more digits than 64 bits can hold before a character that is not a digit.
  if (digits.length > maxDigits || BigInt(digits) > wholeRanges.uint64[1]) return 'value out of range';
  if (rest !== '' || !/\d$/.test(text)) return 'invalid syntax';
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  const [min, max] = wholeRanges[kind];
  if (value < min || value > max) return 'value out of range';
  return Math.min(Math.max(Number(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

const maxDigits = String(wholeRanges.uint64[1]).length;
