import fc from 'fast-check';
import type { Call } from './api-client.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'];
const FIELDS = ['id', 'username', 'password', 'base_path', 'role', 'disabled', 'permission', 'sso_id', 'allow_ldap'];
const MORE_FIELDS = ['otp_code', 'code', 'secret', 'title', 'key', '__proto__', 'constructor', 'USERNAME'];
const NAMES = ['admin', 'guest', 'member', '', ' ', '\0', "'--", '{{7*7}}', '\u202e', '\ud800', '../..'];

const text = fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: 'binary', maxLength: 30 }), fc.string());
const number = fc.oneof(fc.integer(), fc.constantFrom(0, 1, 2, 3, -1, 2 ** 31, 2 ** 53, 1e300, 0.5));
const value = fc.oneof({ weight: 4, arbitrary: text }, { weight: 3, arbitrary: number }, fc.boolean(), fc.jsonValue());

const fields = fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS, ...MORE_FIELDS), fc.string({ maxLength: 8 })), value, {
  maxKeys: 8,
});
/** A body that may be valid, invalid or anything in between. */
const body = fc.oneof(
  { weight: 5, arbitrary: fields.map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fields.map((each) => JSON.stringify(each).slice(0, -2)) },
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('', ' ', 'null', '[]', '{"a":'.repeat(2_000), '['.repeat(50_000), '\ufeff{}', '1e999'),
  fc.constant(undefined),
);

const query = fc
  .array(
    fc.tuple(fc.constantFrom('id', 'uid', 'page', 'per_page', 'username', 'a'), fc.oneof(text, number.map(String))),
  )
  .map((pairs) => pairs.map(([name, each]) => `${name}=${encode(each)}`).join('&'));
const rawQuery = fc.stringMatching(/^[!-"$-~]{0,20}$/);
/** Text to append to a known path. */
const tail = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  fc.constantFrom('/', '//', '/..', '/%2e%2e/', '%00', '%', '%zz', '/x', ';a=b', '\\', '?', '#'),
);

const type = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/xml',
  'APPLICATION/JSON',
  '',
  'x',
);
const oddHeaders = fc.dictionary(
  fc.constantFrom(
    'x-request-id',
    'if-none-match',
    'origin',
    'accept',
    'accept-encoding',
    'x-forwarded-for',
    'range',
    'cookie',
  ),
  fc.stringMatching(/^[ -~]{0,40}$/),
  { maxKeys: 3 },
);

/** Generates arbitrary requests, mostly malformed variants of requests to these paths. */
export function arbitraryRequest(paths: readonly string[]): fc.Arbitrary<Call> {
  const path = fc
    .tuple(fc.constantFrom(...paths), tail, fc.oneof({ weight: 3, arbitrary: query }, rawQuery))
    .map(([known, end, after]) => `${known}${end}${after && `?${after}`}`);
  const method = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('GET', 'POST') }, fc.constantFrom(...METHODS));
  return fc
    .record({
      method,
      path,
      body,
      headers: fc.tuple(oddHeaders, type).map(([odd, is]) => ({ ...odd, 'content-type': is })),
    })
    .map(({ method: each, body: bytes, ...rest }) =>
      bytes === undefined || each === 'GET' || each === 'HEAD'
        ? { method: each, ...rest }
        : { method: each, body: bytes, ...rest },
    );
}

const encode = (each: string) => encodeURIComponent(each.toWellFormed());
