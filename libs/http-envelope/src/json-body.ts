import { bodyText } from './body-text.js';
import { Refusal } from './refusal.js';

/** A number as the client wrote it, so that `1.0` differs from `1` and 64 bits stay whole. */
export class JsonNumber {
  constructor(readonly source: string) {}
}

/** What a JSON body holds. Texts are well-formed, except for bytes that are no UTF-8 (see {@link bodyText}). */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | { [name: string]: JsonValue };

/**
 * Reads a body as the original's decoder does (wire contract 1.9): bytes after the first value are ignored, half surrogate
 * pairs become U+FFFD, the later of two equal keys wins. Throws a Refusal 400 when there is no value.
 */
export function readJsonBody(
  bytes: Buffer | undefined,
  contentType: string | undefined,
  numbers: 'as written' | 'plain' = 'as written',
): JsonValue {
  // compat: the original reads any other type as a form; forms are not read here, which leaves every field unset.
  if (!isJson(contentType)) return {};
  if (bytes === undefined || bytes.length === 0) throw new Refusal(400, 'EOF');
  const { text, broken } = bodyText(bytes);
  const json = withoutByteOrderMark(text);
  if (blank.test(json)) throw new Refusal(400, 'the request body is blank, a JSON value is expected');
  // Looking at every value costs a large body a thousand times what reading it does, so only bodies with numbers are looked at.
  if (numbers === 'plain' && (broken || !HALF_PAIR.test(json))) return parse(json);
  return parse(json, broken ? numbersAsWritten : asWritten);
}

/** compat: the type is compared letter by letter, up to the first semicolon or space. */
const isJson = (contentType = '') => /^[^; ]*/.exec(contentType)?.[0] === 'application/json';

const withoutByteOrderMark = (text: string) => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** An escape that may be half a surrogate pair. */
const HALF_PAIR = /\\u[dD][89a-fA-F]/;

const blank = /^[ \t\r\n]*$/;

function parse(text: string, reviver?: typeof asWritten): JsonValue {
  try {
    return JSON.parse(text, reviver);
  } catch (problem) {
    const first = firstValue(text);
    if (first === undefined || first.length === text.length) throw syntaxRefusal(problem);
    return parse(first, reviver);
  }
}

function asWritten(name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'string' ? value.toWellFormed() : numbersAsWritten(name, value, context);
}

function numbersAsWritten(_name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value;
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
