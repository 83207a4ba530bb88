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
  return mayNeedEscapes.test(json) ? escaped(json) : json;
}

// Nearly every answer fails this test, so the costly replacements below stay rare.
const mayNeedEscapes = /[<>&\u2028\u2029\\]/;

/**
 * Whole texts are replaced one after the other, because a call for each escape takes four tenths of a second for a large answer. JSON has no
 * bare control letter, so NUL can stand for `\\` meanwhile: the b of `\\b` is not taken for a backspace.
 */
function escaped(json: string): string {
  return json
    .replaceAll('\\\\', '\0')
    .replaceAll('\\b', '\\u0008')
    .replaceAll('\\f', '\\u000c')
    .replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd')
    .replaceAll('\0', '\\\\')
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
