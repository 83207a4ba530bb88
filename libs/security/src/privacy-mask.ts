import { RE2JS } from 're2js';

/** In characters. A message that quotes more of a request helps nobody. */
const MAX_MESSAGE = 2_048;
/** Matches of one pattern in a message. Each can cost a search to the end of the message. */
const MAX_MATCHES = 20;
/** In characters, of all patterns together. */
const MAX_PATTERNS = 4_096;
/** In instructions, of all patterns together. Bounds the time of a search for which no automaton can be built. */
const MAX_INSTRUCTIONS = 1_500;
/** The length of a line times the sum of its repetitions. Bounds the time to find out the number of instructions. */
const MAX_EXPANSION = 250_000;

/** Patterns that cannot be used. The message states the reason. */
export class InvalidPatterns extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'InvalidPatterns';
  }
}

/**
 * Masks private parts of error messages: replaces each match of a pattern with one `*` for each of its UTF-8 bytes (wire contract 1.10).
 * The patterns have the syntax of RE2, whose search takes linear time (docs/decisions/0080).
 */
export class PrivacyMask {
  readonly #patterns: readonly RE2JS[];

  /**
   * `patterns`: one regular expression per line.
   *
   * @throws InvalidPatterns
   */
  constructor(patterns: string) {
    if (patterns.length > MAX_PATTERNS) throw new InvalidPatterns(`more than ${MAX_PATTERNS} characters`);
    this.#patterns = patterns.split('\n').flatMap((line, index) => (line === '' ? [] : [compiled(line, index + 1)]));
    const instructions = this.#patterns.reduce((sum, pattern) => sum + pattern.programSize(), 0);
    if (instructions > MAX_INSTRUCTIONS) throw new InvalidPatterns(TOO_LARGE);
  }

  /** Returns the masked message, truncated to 2,048 characters and after 20 matches of a pattern. */
  apply(message: string): string {
    return this.#patterns.reduce(masked, message.slice(0, MAX_MESSAGE));
  }
}

const TOO_LARGE = 'the expressions are too large, shorten one';

function compiled(line: string, number: number): RE2JS {
  if (line.length * repetitionsIn(line) > MAX_EXPANSION) throw new InvalidPatterns(TOO_LARGE);
  try {
    return RE2JS.compile(line);
  } catch (error) {
    throw new InvalidPatterns(`line ${number}: ${(error as Error).message}`);
  }
}

/** Returns the sum of the highest counts in `{n,m}`. */
const repetitionsIn = (line: string) =>
  [...line.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g)].reduce((sum, [, n, m]) => sum + Number(m || n), 0);

function masked(message: string, pattern: RE2JS): string {
  const matcher = pattern.matcher(message);
  let result = '';
  let end = 0;
  for (let matches = 0; matcher.find(); matches++) {
    if (matches === MAX_MATCHES) return result + message.slice(end, matcher.start());
    result += message.slice(end, matcher.start()) + stars(matcher.group() ?? '');
    end = matcher.end();
  }
  return result + message.slice(end);
}

const stars = (found: string) => '*'.repeat(Buffer.byteLength(found));
