/**
 * Returns the response to a successful request as JSON text without a trailing newline. `undefined` becomes `null`. Source: wire contract 1.1.
 *
 * @throws TypeError if the data cannot be serialized, for example a bigint.
 */
export function successEnvelope(data: unknown): string {
  return data instanceof PreparedResponse ? data.envelope : successJson(toJson(data));
}

const successJson = (json: string) => `{"code":200,"message":"success","data":${json}}`;

/** A response that is serialized in advance, so that it can be sent many times. */
export class PreparedResponse {
  private constructor(readonly envelope: string) {}

  static of(data: unknown): PreparedResponse {
    return PreparedResponse.ofJson(toJson(data));
  }

  /** Prepares the response with data that `toJson` has serialized. */
  static ofJson(json: string): PreparedResponse {
    return new PreparedResponse(successJson(json));
  }
}

/** Returns a function that creates the result for a value once and caches it for as long as the value exists. Values must be immutable. */
export function oncePer<Value extends object, Result>(create: (value: Value) => Result): (value: Value) => Result {
  const results = new WeakMap<Value, Result>();
  return (value) => {
    const known = results.get(value);
    if (known !== undefined) return known;
    const result = create(value);
    results.set(value, result);
    return result;
  };
}

/**
 * Returns the response to a refused or failed request as JSON text. `serverTime`, in unix seconds, becomes an additional field. Source: wire
 * contract 1.1.
 */
export function errorEnvelope(code: number, message: string, serverTime?: number): string {
  const time = serverTime === undefined ? '' : `,"server_time":${serverTime}`;
  return `{"code":${code},"message":${toJson(message)},"data":null${time}}`;
}

/** Serializes a value as Go's encoder does: characters that are special in HTML or JavaScript are escaped. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  return mayNeedEscapes.test(json) ? escaped(json) : json;
}

// Few responses match, so the expensive replacements below are rare.
const mayNeedEscapes = /[<>&\u2028\u2029\\]/;

/**
 * Replaces one kind of escape after another in the whole text, because one callback per escape takes 0.4 s for a large response. JSON
 * contains no bare control characters, so NUL can temporarily stand for `\\`. Otherwise the `\b` in `\\b` would look like a backspace.
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
