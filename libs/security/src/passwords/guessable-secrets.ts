import keyboards from '@zxcvbn-ts/language-common/src/adjacencyGraphs.json' with { type: 'json' };

/** Minimum estimated entropy of a secret, in bits. 32 random hex digits have more than 100. */
const MIN_BITS = 96;
/** The same after the words below are removed. */
const MIN_BITS_WITHOUT_WORDS = 64;

/** Words that people use as placeholders for a secret. */
const PLACEHOLDER_WORDS =
  /change[ _-]?me|replace[ _-]?(?:me|this)|keep[ _-]?(?:me|this)|place[ _-]?holder|pass(?:word|phrase)|password|insecure|default|example|keyfold|openlist|please|secret|signing|token|admin|super|value|test|your|this|with|here|todo|key|jwt/gi;

/** The letters of the shortest and of the best known sentence that contains the whole alphabet, which people use as a sample text. */
const [ALPHABET_LETTERS, PANGRAM_LETTERS] = [26, 36];

/**
 * Returns why a secret can be guessed, as a predicate such as "repeats itself", or undefined. Detects secrets that were not generated at
 * random, but cannot prove that a secret is random.
 */
export function weaknessOf(secret: string | Uint8Array): string | undefined {
  const units = typeof secret === 'string' ? [...secret].map((character) => character.codePointAt(0)!) : [...secret];
  if (isRepetition(units)) return 'repeats itself';
  if (bitsOf(units) < MIN_BITS) return 'has too few different characters';
  if (isSequence(units, areConsecutive)) return 'is mostly a sequence of neighbouring characters';
  if (typeof secret !== 'string') return undefined;
  const letters = [...secret];
  if (keyboardNeighbours.some((areNeighbours) => isSequence(letters, areNeighbours)))
    return 'is mostly a sequence of neighbouring keys';
  if (isPangram(secret)) return 'is a sample sentence with the whole alphabet';
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

/** Returns whether more than two thirds of the steps from one unit to the next lead to a neighbour or stay. */
function isSequence<Unit>(units: readonly Unit[], areNeighbours: (a: Unit, b: Unit) => boolean): boolean {
  const steps = units.slice(1).filter((unit, index) => unit === units[index] || areNeighbours(units[index]!, unit));
  return steps.length > ((units.length - 1) * 2) / 3;
}

const areConsecutive = (a: number, b: number) => Math.abs(a - b) === 1;

const keysBesideOn: readonly Record<string, (string | null)[]>[] = Object.values(keyboards);

/**
 * For each keyboard of the zxcvbn-ts project, whether two characters are on neighbouring keys. Not for keypads: on their few keys, one in
 * ten random numbers would be a sequence.
 */
const keyboardNeighbours = keysBesideOn
  .filter((keysBeside) => 'a' in keysBeside)
  .map((keysBeside) => (a: string, b: string) => keysBeside[a]?.some((key) => key?.includes(b)) ?? false);

/** Returns whether the letters are those of a short sentence that contains the whole alphabet. Random letters mix upper and lower case. */
function isPangram(secret: string): boolean {
  const letters = secret.match(/[a-z]/gi) ?? [];
  if (letters.length < (secret.length * 2) / 3 || letters.length > PANGRAM_LETTERS) return false;
  const upper = letters.filter((letter) => letter <= 'Z').length;
  if (Math.min(upper, letters.length - upper) > letters.length / 3) return false;
  return new Set(letters.map((letter) => letter.toLowerCase())).size === ALPHABET_LETTERS;
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
