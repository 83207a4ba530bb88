import { Refusal } from './refusal.js';

/**
 * Reads a JSON text from front to back as the original's decoder does (wire contract 1.9): members come in the order in which
 * they were sent, equal names too, and what stands behind the first value is never looked at. `take…` gives undefined or false
 * and stays where it is when the next value is of another kind. Everything else that is wrong is a Refusal 400, which says
 * where the text breaks without repeating it: it may hold a password.
 */
export class JsonReader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Whether only white space is left. */
  isAtEnd(): boolean {
    return Number.isNaN(this.letter());
  }

  /** Calls `readMember` with the name of each member in turn; it has to read or skip the value. */
  takeObject(readMember: (name: string) => void): boolean {
    if (!this.takeLetter(OPEN_OBJECT)) return false;
    if (this.takeLetter(CLOSE_OBJECT)) return true;
    do {
      readMember(this.name('kept'));
    } while (this.takeLetter(COMMA));
    this.pass(CLOSE_OBJECT);
    return true;
  }

  takeNull(): boolean {
    return this.takeWord('null');
  }

  takeFlag(): boolean | undefined {
    if (this.takeWord('true')) return true;
    return this.takeWord('false') ? false : undefined;
  }

  /** A text; what an escape cannot mean, such as half a surrogate pair, is U+FFFD. */
  takeText(): string | undefined {
    if (this.letter() !== QUOTE) return undefined;
    const part = this.quoted('refused');
    // A part of a string keeps the whole of it in memory as long as it lives; this is a copy.
    return ` ${part}`.slice(1);
  }

  /** A number without fraction and exponent as it was written, so that 64 bits stay whole. */
  takeWhole(): string | undefined {
    this.letter();
    return this.takeMatch(WHOLE)?.[0];
  }

  /** Passes over a value of any kind. What is nested takes no stack. */
  skipValue(): void {
    const closers: number[] = [];
    do {
      if (this.skipsStart(closers)) continue;
      while (closers.length > 0 && !this.takeLetter(COMMA)) this.pass(closers.pop()!);
      if (closers.at(-1) === CLOSE_OBJECT) this.name('refused');
    } while (closers.length > 0);
  }

  /** Passes over a plain value, or to the first value in a list or an object; false where a comma or an end has to follow. */
  private skipsStart(closers: number[]): boolean {
    const isObject = this.takeLetter(OPEN_OBJECT);
    if (!isObject && !this.takeLetter(OPEN_LIST)) {
      this.skipPlainValue();
      return false;
    }
    const closer = isObject ? CLOSE_OBJECT : CLOSE_LIST;
    if (closers.push(closer) >= DEEPEST) return this.refuse();
    if (this.letter() === closer) return false;
    if (isObject) this.name('refused');
    return true;
  }

  private skipPlainValue(): void {
    if (this.letter() === QUOTE) return void this.quoted('refused');
    if (this.takeNull() || this.takeFlag() !== undefined) return;
    const [, size, exponent] = this.takeMatch(NUMBER) ?? this.refuse();
    if (exponent !== undefined && !Number.isFinite(Number(size))) this.refuse();
  }

  private name(controls: Controls): string {
    if (this.letter() !== QUOTE) this.refuse();
    const name = this.quoted(controls);
    this.pass(COLON);
    return name;
  }

  /**
   * The text between two quotes. compat: the original looks for control letters only up to the first escape, only in the block
   * of its input in which the text begins, and not at all in the names of the outer object.
   */
  private quoted(controls: Controls): string {
    const { text } = this;
    let uncheckedFrom = controls === 'kept' ? 0 : (this.at | (BLOCK - 1)) + 1;
    let read = '';
    let from = this.at + 1;
    for (let at = from; at < text.length; at += 1) {
      const letter = text.charCodeAt(at);
      if (letter === QUOTE) {
        this.at = at + 1;
        return read + text.slice(from, at);
      }
      if (letter === BACKSLASH) {
        read += text.slice(from, at) + this.escape(at);
        from = this.at;
        at = from - 1;
        uncheckedFrom = 0;
      } else if (letter < SPACE && at < uncheckedFrom) this.refuse(at);
    }
    return this.refuse(text.length);
  }

  private escape(at: number): string {
    const short = shortEscapes[this.text.charAt(at + 1)];
    this.at = short === undefined ? at : at + 2;
    if (short !== undefined) return short;
    const [, unit = '', nextUnit] = this.takeMatch(UNICODE_ESCAPE) ?? this.refuse();
    const units = nextUnit === undefined ? letterOf(unit) : letterOf(unit) + letterOf(nextUnit);
    return units.toWellFormed();
  }

  /** The next letter that is no white space, NaN at the end. */
  private letter(): number {
    for (; ; this.at += 1) {
      const letter = this.text.charCodeAt(this.at);
      if (letter !== SPACE && letter !== TAB && letter !== LINE_FEED && letter !== CARRIAGE_RETURN) return letter;
    }
  }

  private takeLetter(letter: number): boolean {
    if (this.letter() !== letter) return false;
    this.at += 1;
    return true;
  }

  private pass(letter: number): void {
    if (!this.takeLetter(letter)) this.refuse();
  }

  private takeWord(word: string): boolean {
    this.letter();
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  private takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text) ?? undefined;
    if (match !== undefined) this.at = pattern.lastIndex;
    return match;
  }

  private refuse(at = this.at): never {
    const place = at >= this.text.length ? 'it ends too early' : `see character ${at}`;
    throw new Refusal(400, `the request body is not valid JSON: ${place}`);
  }
}

/** What becomes of raw control letters in a text. */
type Controls = 'refused' | 'kept';

/** Lists and objects that may be open at once; the outer object is one of them. */
const DEEPEST = 10_000;

/** What the original reads at once, in bytes; counted in letters here, which differs behind letters that are not ASCII. */
const BLOCK = 512;

const WHOLE = /-?(?:0|[1-9]\d*)(?![\d.eE])/y;

/** compat: behind a minus the original also takes a plus, leading zeros and nothing before the point. */
const NUMBER = /(?:-\+?(?=\.?\d)|(?=[1-9]|0(?!\d)))(\d*(?:\.\d+)?([eE][+-]?\d+)?)/y;

/** compat: half a surrogate pair takes the next such escape along, whether or not that is its other half. */
const UNICODE_ESCAPE = /\\u([\da-fA-F]{4})(?:(?<=u[dD][89a-fA-F]..)\\u([\da-fA-F]{4}))?/y;

const letterOf = (hex: string) => String.fromCharCode(Number.parseInt(hex, 16));

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
