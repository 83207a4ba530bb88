import { Refusal } from './refusal.js';

/** A number as the client wrote it, so that `1.0` differs from `1` and 64 bits stay whole. */
export class JsonNumber {
  constructor(readonly source: string) {}
}

/** What a JSON body holds. Texts are well-formed. */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | { [name: string]: JsonValue };

/**
 * Reads a body as the original's decoder does (wire-contract 1.9): bytes after the first value are ignored, broken UTF-8
 * and half surrogate pairs become U+FFFD, the later of two equal keys wins. Throws a Refusal 400 when there is no value.
 */
export function readJsonBody(bytes: Buffer | undefined, contentType: string | undefined): JsonValue {
  // compat: the original reads any other type as a form; forms are not read here, which leaves every field unset.
  if (!isJson(contentType)) return {};
  if (bytes === undefined || bytes.length === 0) throw new Refusal(400, 'EOF');
  const text = withoutByteOrderMark(bytes.toString('utf8'));
  if (blank.test(text)) throw new Refusal(400, 'the request body is blank, a JSON value is expected');
  return parse(text);
}

/** compat: the type is compared letter by letter, up to the first semicolon or space. */
const isJson = (contentType = '') => /^[^; ]*/.exec(contentType)?.[0] === 'application/json';

const withoutByteOrderMark = (text: string) => (text.startsWith('\ufeff') ? text.slice(1) : text);

const blank = /^[ \t\r\n]*$/;

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text, asWritten);
  } catch (problem) {
    const first = firstValue(text);
    if (first === undefined || first.length === text.length) throw syntaxRefusal(problem);
    return parse(first);
  }
}

function asWritten(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === 'number') return new JsonNumber(context?.source ?? String(value));
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** The text up to the end of its first object, list or null; undefined without one. What precedes it stays in. */
function firstValue(text: string): string | undefined {
  const start = /^[ \t\r\n]*(?:null)?/.exec(text)?.[0] ?? '';
  if (start.endsWith('null')) return start;
  let depth = 0;
  let quoted = false;
  for (let at = start.length; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted && letter === '\\') at += 1;
    else if (letter === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (letter === '{' || letter === '[') depth += 1;
    else if ((letter === '}' || letter === ']') && --depth === 0) return text.slice(0, at + 1);
  }
  return undefined;
}

/** Says where the text breaks, without repeating it: it may hold a password. */
function syntaxRefusal(problem: unknown): Refusal {
  const detail = problem instanceof Error ? problem.message : '';
  if (/^(?:Unexpected end|Unterminated)/.test(detail)) {
    return new Refusal(400, 'the request body is not valid JSON: it ends too early');
  }
  const position = / at position (\d+)/.exec(detail)?.[1];
  return new Refusal(400, `the request body is not valid JSON${position ? `: see character ${position}` : ''}`);
}
