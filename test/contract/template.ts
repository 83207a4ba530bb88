const PLACEHOLDERS: Record<string, string> = {
  jwt: String.raw`[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`,
  int: String.raw`-?(?:0|[1-9][0-9]*)`,
  time: String.raw`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})`,
  secret: String.raw`[A-Z2-7]{32}`,
  png: String.raw`data:image/png;base64,[A-Za-z0-9+/]+={0,2}`,
  fingerprint: String.raw`SHA256:[A-Za-z0-9+/]{43}`,
  text: String.raw`(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])+`,
  any: String.raw`[\s\S]+?`,
};

/** Part of a template: literal characters, or one placeholder with its regular expression. */
interface Piece {
  shown: string;
  source: string;
  literal: boolean;
}

/**
 * Compares a complete text with a template of literal characters and placeholders such as `<<int>>`. A named
 * placeholder such as `<<time:1>>` matches the same text everywhere. Returns a description of the first difference, or
 * undefined.
 */
export function templateDifference(template: string, text: string): string | undefined {
  const pieces = piecesOf(template);
  if (!matches(pieces, text)) return describe(pieces, text);
  if (template.includes('<<any>>') && !isJson(text)) return `expected one JSON value, got ${shorten(text)}`;
  return undefined;
}

/** Returns whether a template matches somewhere in a text. */
export function templateOccurs(template: string, text: string): boolean {
  return new RegExp(sourceOf(piecesOf(template))).test(text);
}

function piecesOf(template: string): Piece[] {
  const named = new Set<string>();
  return template
    .split(/(<<[^<>]*>>)/)
    .filter((part) => part !== '')
    .map((part) => (/^<<[^<>]*>>$/.test(part) ? placeholder(part, named) : literal(part)));
}

function literal(text: string): Piece {
  return { shown: text, source: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), literal: true };
}

function placeholder(shown: string, named: Set<string>): Piece {
  const [, kind = '', name] = /^<<([a-z]+)(?::(\w+))?>>$/.exec(shown) ?? [];
  const source = PLACEHOLDERS[kind];
  if (!source) throw new Error(`unknown placeholder ${shown}`);
  if (!name) return { shown, source, literal: false };
  const group = `${kind}_${name}`;
  if (named.has(group)) return { shown, source: `\\k<${group}>`, literal: false };
  named.add(group);
  return { shown, source: `(?<${group}>${source})`, literal: false };
}

function sourceOf(pieces: Piece[]): string {
  return pieces.map(({ source }) => source).join('');
}

function matches(pieces: Piece[], text: string): boolean {
  return new RegExp(`^${sourceOf(pieces)}$`).test(text);
}

/** Describes where the longest matching prefix of the template ends, and the text after it. */
function describe(pieces: Piece[], text: string): string {
  let fitting = pieces.length;
  let beginning = fit(pieces, text);
  while (beginning === undefined) beginning = fit(pieces.slice(0, --fitting), text);
  const next = pieces[fitting];
  const shared = next?.literal ? sharedLength(next.shown, text.slice(beginning)) : 0;
  const rest = next ? pieces.slice(fitting).map(({ shown }) => shown) : [];
  const at = beginning + shared;
  return `at character ${at}: expected ${shorten(rest.join('').slice(shared))}, got ${shorten(text.slice(at))}`;
}

function fit(pieces: Piece[], text: string): number | undefined {
  return new RegExp(`^${sourceOf(pieces)}`).exec(text)?.[0].length;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

function shorten(text: string): string {
  if (text === '') return 'the end';
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
