/** Minimum estimated entropy of a secret, in bits. 32 random hex digits have more than 100. */
const MIN_BITS = 96;
/** The same after the words below are removed. */
const MIN_BITS_WITHOUT_WORDS = 64;

/** Words that people use as placeholders for a secret. */
const PLACEHOLDER_WORDS =
  /change[ _-]?me|replace[ _-]?(?:me|this)|keep[ _-]?(?:me|this)|place[ _-]?holder|pass(?:word|phrase)|password|insecure|default|example|keyfold|openlist|please|secret|signing|token|admin|super|value|test|your|this|with|here|todo|key|jwt/gi;

/**
 * Returns why a secret can be guessed, as a predicate such as "repeats itself", or undefined. Detects secrets that were not generated at
 * random, but cannot prove that a secret is random.
 */
export function weaknessOf(secret: string | Uint8Array): string | undefined {
  const units = typeof secret === 'string' ? [...secret].map((character) => character.codePointAt(0)!) : [...secret];
  if (isRepetition(units)) return 'repeats itself';
  if (bitsOf(units) < MIN_BITS) return 'has too few different characters';
  if (isSequence(units)) return 'is mostly a sequence of neighbouring characters';
  if (typeof secret !== 'string') return undefined;
  const rest = [...secret.replaceAll(PLACEHOLDER_WORDS, '')].map((character) => character.codePointAt(0)!);
  return bitsOf(rest) < MIN_BITS_WITHOUT_WORDS ? 'consists of common words' : undefined;
}

/** Returns whether the units consist of one sequence that repeats at least twice. */
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

/** Returns the Shannon entropy of the frequencies, times the length. */
function bitsOf(units: readonly number[]): number {
  const counts = [...Map.groupBy(units, (unit) => unit).values()].map(({ length }) => length);
  return counts.reduce((bits, count) => bits - count * Math.log2(count / units.length), 0);
}

let list: Promise<ReadonlySet<string>> | undefined;

/** Returns whether the password is one of the 49,000 most common ones of the zxcvbn-ts project, ignoring case. Loads the list at the first call. */
export async function isCommonPassword(password: string): Promise<boolean> {
  // After a failure, the next call loads the list again.
  list ??= load().catch((error: unknown) => {
    list = undefined;
    throw error;
  });
  return (await list).has(password.toLowerCase());
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
