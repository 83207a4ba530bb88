import { RE2JS } from 're2js';

/** In characters. A message that quotes more of a request helps nobody. */
export const MAX_MESSAGE = 2_048;
/** In characters that are searched after the end of a message, so that a private text across its end is found. */
const LOOKAHEAD = 256;
const MAX_SEARCHED = MAX_MESSAGE + LOOKAHEAD;
/** In characters, of all patterns together. */
export const MAX_PATTERNS = 4_096;
/** In instructions, of all patterns together. Enough for the patterns of the original. */
export const MAX_INSTRUCTIONS = 1_500;
/**
 * In characters times instructions: what all searches in a message may cost. Enough for one search of each pattern. The next search after a
 * match can cost as much again, because a search may read to the end before it returns a short match at the beginning.
 */
const MAX_WORK = MAX_SEARCHED * MAX_INSTRUCTIONS;
/** The estimated instructions of all patterns. Bounds the time to compile them and find out their size. */
const MAX_ESTIMATE = 4 * MAX_INSTRUCTIONS;
/** Classes such as `\pL` in all patterns together. Each one takes up to a millisecond to compile. */
export const MAX_UNICODE_CLASSES = 32;

/** Patterns that cannot be used. The message states the reason. */
export class InvalidPatterns extends Error {
  override readonly name = 'InvalidPatterns';
}

/**
 * Masks private parts of error messages: replaces each match of a pattern with one `*` for each of its UTF-8 bytes (wire contract 1.10).
 * The patterns have the syntax of RE2, whose search takes linear time (docs/decisions/0067).
 */
export class PrivacyMask {
  readonly #patterns: readonly RE2JS[];
  readonly #instructions: number;

  /**
   * `patterns`: one regular expression per line.
   *
   * @throws InvalidPatterns
   */
  constructor(patterns: string) {
    if (patterns.length > MAX_PATTERNS) throw new InvalidPatterns(`more than ${MAX_PATTERNS} characters`);
    const lines = patterns.split('\n');
    const unicodeClasses = patterns.split(/\\p/i).length - 1;
    if (unicodeClasses > MAX_UNICODE_CLASSES) throw new InvalidPatterns(TOO_LARGE);
    if (sumOf(lines.map(estimatedSizeOf)) > MAX_ESTIMATE) throw new InvalidPatterns(TOO_LARGE);
    this.#patterns = lines.flatMap((line, index) => (line === '' ? [] : [compiled(line, index + 1)]));
    this.#instructions = sumOf(this.#patterns.map((pattern) => pattern.programSize()));
    if (this.#instructions > MAX_INSTRUCTIONS) throw new InvalidPatterns(TOO_LARGE);
  }

  /** Returns the masked message. Cuts it after 2,048 characters, or where further searches would take too long. */
  apply(message: string): string {
    let text = message.slice(0, MAX_SEARCHED);
    let spareWork = MAX_WORK - text.length * this.#instructions;
    for (const pattern of this.#patterns) ({ text, spareWork } = masked(text, pattern, spareWork));
    return text.slice(0, MAX_MESSAGE);
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

const TOO_LARGE = 'the expressions are too large, shorten one';

function compiled(line: string, number: number): RE2JS {
  try {
    return RE2JS.compile(line);
  } catch (error) {
    throw new InvalidPatterns(`line ${number}: ${(error as Error).message}`);
  }
}

/** Masks the matches of one pattern and returns what remains of the work that may follow a match. */
function masked(message: string, pattern: RE2JS, work: number): { text: string; spareWork: number } {
  const matcher = pattern.matcher(message);
  let text = '';
  let end = 0;
  let spareWork = work;
  while (matcher.find()) {
    text += message.slice(end, matcher.start()) + stars(matcher.group() ?? '');
    end = matcher.end();
    spareWork -= (message.length - end) * pattern.programSize();
    if (spareWork < 0) return { text, spareWork };
  }
  return { text: text + message.slice(end), spareWork };
}

const stars = (found: string) => '*'.repeat(Buffer.byteLength(found));

// The parts of an expression. A part that is not closed takes the rest, so that no text is read twice.
const LITERAL = String.raw`\\Q(?<literal>.*?)(?:\\E|$)`;
const UNICODE_CLASS = String.raw`\\[pP](?:\{[^}]*(?:\}|$)|.)`;
const CHARACTER = String.raw`(?:\\x\{[^}]*(?:\}|$)|\\.|[^\]\\])`;
const RANGE_END = `(?:-${CHARACTER})?`;
const CLASS_ITEM = String.raw`\[:\^?\w+:\]|${UNICODE_CLASS}|\\[dswDSW]|${CHARACTER}${RANGE_END}`;
const CLASS = String.raw`\[\^?(?:\]${RANGE_END})?(?:${CLASS_ITEM})*(?:\]|\\?$)`;
const FLAGS = String.raw`(?<flags>\(\?[imsU-]*\))`;
const BEGIN = String.raw`(?<begin>\((?:\?P?<\w*>|\?[imsU-]*:)?)`;
const COUNT = String.raw`\{(?<least>\d{1,4})(?:,(?<most>\d{0,4}))?\}`;
const PART = new RegExp(
  `${LITERAL}|${UNICODE_CLASS}|${CLASS}|${FLAGS}|${BEGIN}|(?<end>\\))|${COUNT}|(?<suffix>[*+?])|${CHARACTER}|.`,
  'gsu',
);

type Group = { size: number; last: number };

/**
 * Estimates the number of instructions of an expression of RE2 without compiling it: each character counts once for each repetition, and
 * each group twice. A compiler needs at most four times as many, and fewer only if it merges alternatives. Takes linear time.
 */
export function estimatedSizeOf(expression: string): number {
  /** The sizes of the open groups, the outermost first, and of the last part of each. */
  const groups: Group[] = [{ size: 0, last: 0 }];
  for (const { groups: part } of expression.matchAll(PART)) {
    const { literal, flags, begin, end, least, most, suffix } = part!;
    const group = groups.at(-1)!;
    if (literal !== undefined) for (const _ of literal) add(group, 1);
    else if (begin) groups.push({ size: 2, last: 0 });
    else if (end && groups.length > 1) add(groups.at(-2)!, groups.pop()!.size);
    else if (least) repeat(group, Math.max(1, Number(least), Number(most ?? least)));
    else if (suffix) extend(group);
    else if (!flags) add(group, 1);
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

function add(group: Group, size: number): void {
  group.last = size;
  group.size += size;
}

function repeat(group: Group, times: number): void {
  group.size += group.last * (times - 1);
  group.last *= times;
}

function extend(group: Group): void {
  group.last += 1;
  group.size += 1;
}
