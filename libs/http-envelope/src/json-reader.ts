import { Refusal } from './refusal.js';

/**
 * Reads a JSON text from front to back as the original's decoder does (wire contract 1.9): it reports members in the order in
 * which they were sent, duplicates included, and ignores everything after the first value. If the next value is of another
 * kind, a `take…` method returns undefined or false and does not advance. Malformed JSON throws a Refusal 400, which gives the
 * position of the error but quotes nothing: the text may contain a password.
 */
export class JsonReader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Returns whether only white space is left. */
  isAtEnd(): boolean {
    return Number.isNaN(this.peek());
  }

  /** Calls `readMember` with the name of each member in turn; `readMember` must read or skip the value. */
  takeObject(readMember: (name: string) => void): boolean {
    if (!this.takeCharacter(OPEN_OBJECT)) return false;
    if (this.takeCharacter(CLOSE_OBJECT)) return true;
    do {
      readMember(this.name());
    } while (this.takeCharacter(COMMA));
    this.expect(CLOSE_OBJECT);
    return true;
  }

  /** Calls `readItem` for each item in turn; `readItem` must read or skip the value. */
  takeList(readItem: () => void): boolean {
    if (!this.takeCharacter(OPEN_ARRAY)) return false;
    if (this.takeCharacter(CLOSE_ARRAY)) return true;
    do {
      readItem();
    } while (this.takeCharacter(COMMA));
    this.expect(CLOSE_ARRAY);
    return true;
  }

  takeNull(): boolean {
    return this.takeWord('null');
  }

  takeFlag(): boolean | undefined {
    if (this.takeWord('true')) return true;
    return this.takeWord('false') ? false : undefined;
  }

  /** Returns the next string, with U+FFFD in place of escapes that stand for no character, such as half a surrogate pair. */
  takeText(): string | undefined {
    if (this.peek() !== QUOTE) return undefined;
    // Copied, because V8 keeps the whole body in memory as long as a slice of it lives.
    return ` ${this.quoted()}`.slice(1);
  }

  /** Returns the digits of the next integer as text, because a number cannot hold 64 bits. Takes no fraction and no exponent. */
  takeWhole(): string | undefined {
    this.peek();
    return this.takeMatch(WHOLE)?.[0];
  }

  /** Skips a value of any kind. Not recursive, so nested values cannot overflow the call stack. */
  skipValue(): void {
    const closers: number[] = [];
    do {
      if (this.skipsStart(closers)) continue;
      while (closers.length > 0 && !this.takeCharacter(COMMA)) this.expect(closers.pop()!);
      if (closers.at(-1) === CLOSE_OBJECT) this.name();
    } while (closers.length > 0);
  }

  /** Skips a scalar, or advances to the first value of an array or object. Returns false if a comma or a closer must follow. */
  private skipsStart(closers: number[]): boolean {
    const isObject = this.takeCharacter(OPEN_OBJECT);
    if (!isObject && !this.takeCharacter(OPEN_ARRAY)) {
      this.skipScalar();
      return false;
    }
    const closer = isObject ? CLOSE_OBJECT : CLOSE_ARRAY;
    if (closers.push(closer) >= MAX_DEPTH) return this.refuse();
    if (this.peek() === closer) return false;
    if (isObject) this.name();
    return true;
  }

  private skipScalar(): void {
    if (this.peek() === QUOTE) return void this.quoted();
    if (this.takeNull() || this.takeFlag() !== undefined) return;
    const [, size, exponent] = this.takeMatch(NUMBER) ?? this.refuse();
    if (exponent !== undefined && !Number.isFinite(Number(size))) this.refuse();
  }

  private name(): string {
    if (this.peek() !== QUOTE) this.refuse();
    const name = this.quoted();
    this.expect(COLON);
    return name;
  }

  private quoted(): string {
    const { text } = this;
    let read = '';
    let from = this.at + 1;
    for (let at = from; at < text.length; at += 1) {
      const character = text.charCodeAt(at);
      if (character === QUOTE) {
        this.at = at + 1;
        return read + text.slice(from, at);
      }
      if (character === BACKSLASH) {
        read += text.slice(from, at) + this.escape(at);
        from = this.at;
        at = from - 1;
      } else if (character < SPACE) this.refuse(at);
    }
    return this.refuse(text.length);
  }

  private escape(at: number): string {
    const short = shortEscapes[this.text.charAt(at + 1)];
    this.at = short === undefined ? at : at + 2;
    if (short !== undefined) return short;
    const [, unit = '', nextUnit] = this.takeMatch(UNICODE_ESCAPE) ?? this.refuse();
    const units = nextUnit === undefined ? codeUnit(unit) : codeUnit(unit) + codeUnit(nextUnit);
    return units.toWellFormed();
  }

  /** Skips white space and returns the next character code, or NaN at the end. */
  private peek(): number {
    for (; ; this.at += 1) {
      const character = this.text.charCodeAt(this.at);
      if (character !== SPACE && character !== TAB && character !== LINE_FEED && character !== CARRIAGE_RETURN)
        return character;
    }
  }

  private takeCharacter(character: number): boolean {
    if (this.peek() !== character) return false;
    this.at += 1;
    return true;
  }

  private expect(character: number): void {
    if (!this.takeCharacter(character)) this.refuse();
  }

  private takeWord(word: string): boolean {
    this.peek();
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
    const problem = at >= this.text.length ? 'unexpected end' : `unexpected character at position ${at}`;
    throw new Refusal(400, `the request body is not valid JSON: ${problem}`);
  }
}

/** Maximum number of nested arrays and objects, the outer object included. */
const MAX_DEPTH = 10_000;

const WHOLE = /-?(?:0|[1-9]\d*)(?![\d.eE])/y;

/** compat: after a minus, the original also accepts a plus, leading zeros and a fraction without an integer part. */
const NUMBER = /(?:-\+?(?=\.?\d)|(?=[1-9]|0(?!\d)))(\d*(?:\.\d+)?([eE][+-]?\d+)?)/y;

/** compat: the original reads a high surrogate together with the next `\u` escape, even if that is not its low surrogate. */
const UNICODE_ESCAPE = /\\u([\da-fA-F]{4})(?:(?<=u[dD][89a-fA-F]..)\\u([\da-fA-F]{4}))?/y;

const codeUnit = (hex: string) => String.fromCharCode(Number.parseInt(hex, 16));

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
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
