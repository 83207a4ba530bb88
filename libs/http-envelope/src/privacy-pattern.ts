import { createContext, Script } from 'node:vm';

/** Replaces what one pattern finds by as many stars as it has UTF-8 bytes. */
export type Masking = (text: string) => string;

/**
 * Compiles one line of the setting `privacy_regs`; undefined when it is no regular expression. The original reads them as
 * RE2, so POSIX classes and the leading flags i, m, s and U of that dialect are understood.
 */
export function compilePattern(line: string): Masking | undefined {
  const [, flags = '', body = ''] = /^(?:\(\?([imsU]+)\))?(.*)$/s.exec(line) ?? [];
  const source = withPosixClasses(flags.includes('U') ? withGreedSwapped(body) : body);
  const pattern = regExpOf(source, `g${flags.replaceAll('U', '')}`);
  if (source === '' || pattern === undefined) return undefined;
  return mayBacktrack(source) ? (text) => maskInTime(text, pattern) : (text) => text.replace(pattern, stars);
}

const stars = (found: string) => '*'.repeat(Buffer.byteLength(found));

/** Letters are whole code points as in RE2 where JavaScript's stricter grammar for them allows it. */
function regExpOf(source: string, flags: string): RegExp | undefined {
  for (const dialect of [`${flags}u`, flags]) {
    try {
      return new RegExp(source, dialect);
    } catch {
      continue;
    }
  }
  return undefined;
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

const withPosixClasses = (source: string) =>
  source.replace(/\[:([a-z]+):\]/g, (whole, name: string) => posixClasses[name] ?? whole);

/** RE2's flag U: quantifiers are lazy unless a question mark follows. */
const withGreedSwapped = (source: string) =>
  source.replace(
    /\\.|\[(?:\\.|[^\]\\])*\]|\(\?|([*+?]|\{\d+(?:,\d*)?\})(\??)/gs,
    (token, quantifier?: string, lazy?: string) => (quantifier ? `${quantifier}${lazy ? '' : '?'}` : token),
  );

/** Only patterns with one open repetition, and none of a group, are sure to end soon. */
function mayBacktrack(source: string): boolean {
  const plain = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  return /\)(?:[*+]|\{\d+,\})|\{(?:\d*,)?\d{2,}\}|\\[1-9k]/.test(plain) || (plain.match(/[*+]|,\}/g) ?? []).length > 1;
}

/** An own context only because its time limit can stop a regular expression that is running. */
const sandbox = createContext({ mask: () => '' });
const maskNow = new Script('mask()');
const limitMs = 100;

/** A pattern that takes too long hides the whole text: what it would have hidden is not known. */
function maskInTime(text: string, pattern: RegExp): string {
  sandbox['mask'] = () => text.replace(pattern, stars);
  try {
    return String(maskNow.runInContext(sandbox, { timeout: limitMs }));
  } catch {
    return stars(text);
  }
}
