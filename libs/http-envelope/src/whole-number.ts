/** Kinds of whole numbers on the wire. `int` has 64 bits and a sign, as in Go on a 64-bit machine. */
export type WholeKind = 'uint64' | 'int' | 'int32';

/** Smallest and largest value of each kind, both included. */
export const wholeRanges: Readonly<Record<WholeKind, readonly [bigint, bigint]>> = {
  uint64: [0n, 2n ** 64n - 1n],
  int: [-(2n ** 63n), 2n ** 63n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
};

/** Why a text is no number of its kind, in the words of Go's strconv. */
export type WholeProblem = 'invalid syntax' | 'value out of range';

/**
 * Decimal digits with an optional sign as a number. Values in range that a double cannot hold become the nearest safe
 * integer: they name no id that exists, and must not round to one that does.
 */
export function parseWhole(text: string, kind: WholeKind): number | WholeProblem {
  const [, sign, digits = '', rest] = /^([+-]?)0*(\d*)(.*)$/s.exec(text) ?? [];
  // compat: strconv reads from the left, so digits that are too many for 64 bits are found before what is no digit.
  if (digits.length > longest || BigInt(digits) > wholeRanges.uint64[1]) return 'value out of range';
  if (rest !== '' || !/\d$/.test(text)) return 'invalid syntax';
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  const [min, max] = wholeRanges[kind];
  if (value < min || value > max) return 'value out of range';
  return Math.min(Math.max(Number(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

const longest = String(wholeRanges.uint64[1]).length;
