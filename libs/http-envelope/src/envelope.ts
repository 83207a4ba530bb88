/**
 * The answer to a request that succeeded, as JSON text without a trailing newline; `undefined` becomes `null`.
 * Source: wire contract 1.1. Throws what `JSON.stringify` throws, for instance on a bigint.
 */
export function successEnvelope(data: unknown): string {
  return data instanceof PreparedAnswer ? data.envelope : successJson(toJson(data));
}

const successJson = (json: string) => `{"code":200,"message":"success","data":${json}}`;

/** An answer that was written before, to be sent many times. */
export class PreparedAnswer {
  private constructor(readonly envelope: string) {}

  static of(data: unknown): PreparedAnswer {
    return PreparedAnswer.ofJson(toJson(data));
  }

  /** The answer with these data as JSON text, written by `toJson`. */
  static ofJson(json: string): PreparedAnswer {
    return new PreparedAnswer(successJson(json));
  }
}

/** For values that never change: the answer made from one is written once, and kept for as long as the value is. */
export function writtenOnce<Value extends object>(dataOf: (value: Value) => unknown): (value: Value) => PreparedAnswer {
  const written = new WeakMap<Value, PreparedAnswer>();
  return (value) => {
    const known = written.get(value);
    if (known) return known;
    const answer = PreparedAnswer.of(dataOf(value));
    written.set(value, answer);
    return answer;
  };
}

/** The answer to a request that was refused or failed. Source: wire contract 1.1. */
export function errorEnvelope(code: number, message: string): string {
  return `{"code":${code},"message":${toJson(message)},"data":null}`;
}

/** JSON as Go's encoder writes it: no letter that could start markup or end a script line. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  return mayNeedEscapes.test(json) ? json.replace(escapes, rewrite) : json;
}

// Nearly every answer fails this test, so the costly replacement below stays rare.
const mayNeedEscapes = /[<>&\u2028\u2029\\]/;

// The last alternative swallows the other escapes whole, so that the b of `\\b` is not taken for a backspace.
const escapes = /[<>&\u2028\u2029]|\\ud[89a-f][0-9a-f]{2}|\\[^]/g;

function rewrite(found: string): string {
  if (found === '\\b') return '\\u0008';
  if (found === '\\f') return '\\u000c';
  if (found.startsWith('\\ud')) return '\\ufffd';
  if (found.startsWith('\\')) return found;
  return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
