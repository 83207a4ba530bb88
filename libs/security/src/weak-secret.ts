/** The least entropy of a secret by a rough estimate, in bits. 32 random hex digits have more than 100. */
const LEAST_BITS = 96;
/** The same for what is left without the words below. */
const LEAST_BITS_WITHOUT_WORDS = 64;

/** What people write where a secret belongs. */
const OBVIOUS =
  /change[ _-]?me|replace[ _-]?(?:me|this)|keep[ _-]?(?:me|this)|place[ _-]?holder|pass(?:word|phrase)|password|insecure|default|example|keyfold|openlist|please|secret|signing|token|admin|super|value|test|your|this|with|here|todo|key|jwt/gi;

/**
 * Says why a secret can be guessed, as a predicate such as "repeats itself"; undefined when nothing speaks against it. Finds secrets that
 * nobody made at random; it cannot prove that one is random.
 */
export function weaknessOf(secret: string | Uint8Array): string | undefined {
  const units = typeof secret === 'string' ? [...secret].map((letter) => letter.codePointAt(0)!) : [...secret];
  if (isRepetition(units)) return 'repeats itself';
  if (bitsOf(units) < LEAST_BITS) return 'has too few different characters';
  if (isSequence(units)) return 'is mostly a sequence of neighbouring characters';
  if (typeof secret !== 'string') return undefined;
  const rest = [...secret.replaceAll(OBVIOUS, '')].map((letter) => letter.codePointAt(0)!);
  return bitsOf(rest) < LEAST_BITS_WITHOUT_WORDS ? 'consists of common words' : undefined;
}

/** A unit of at most half the length, again and again. */
function isRepetition(units: readonly number[]): boolean {
  for (let length = 1; length <= units.length / 2; length++) {
    if (units.every((unit, index) => index < length || unit === units[index - length])) return true;
  }
  return false;
}

function isSequence(units: readonly number[]): boolean {
  const steps = units.slice(1).filter((unit, index) => Math.abs(unit - units[index]!) === 1);
  return steps.length > ((units.length - 1) * 2) / 3;
}

/** Shannon's entropy of the frequencies, times the length. */
function bitsOf(units: readonly number[]): number {
  const counts = [...Map.groupBy(units, (unit) => unit).values()].map(({ length }) => length);
  return counts.reduce((bits, count) => bits - count * Math.log2(count / units.length), 0);
}
