import { Refusal, type RefusalRow } from '../refusal.js';

/** Maximum size of a query in bytes. Parsing 3,000 bytes takes about a millisecond. */
export const QUERY_BYTES = 16_384;

/** Maximum number of items of a list in a body. */
export const LIST_ITEMS = 1_000;

/** Maximum number of fields of a checked body or query. Every route has fewer. */
export const FIELDS = 32;

/** Completes the sentence "must be …" for a text that is not an instant. */
export const AN_INSTANT = 'an RFC 3339 time such as 2027-01-31T12:00:00Z';

/** Documents the refusals of requests that cannot be read (wire contract 1.9). `…` stands for a part that depends on the request. */
export const inputRefusals = {
  'body-empty': { code: 400, message: 'EOF', when: 'the body is empty' },
  'body-malformed': {
    code: 400,
    message: '…',
    when: 'the body is not valid JSON, or a field has the wrong type; the text names it',
  },
  'body-incomplete': {
    code: 400,
    message: "Key: '…' Error:…",
    when: 'a required field is missing or empty; the text has a line for each',
  },
  'body-unreadable': {
    code: 400,
    message: 'the body must be a JSON object, sent as application/json',
    when: 'the body is empty, not valid JSON, not UTF-8 or no JSON object, or has another content type',
  },
  'too-many-fields': {
    code: 400,
    message: `too many fields: at most ${FIELDS}`,
    when: `the request has more than ${FIELDS} fields`,
  },
  'fields-invalid': {
    code: 400,
    message: '…',
    when: 'a field is missing, wrong or unknown; the text has a line for each',
  },
  'idempotency-key-invalid': {
    code: 400,
    message: 'Idempotency-Key must consist of 1 to 255 visible ASCII characters',
    when: 'the header `Idempotency-Key` is empty, too long, sent twice or contains other characters',
  },
  'idempotency-key-reused': {
    code: 422,
    message: 'this Idempotency-Key was used for another request: choose a new key',
    when: 'the account has used the `Idempotency-Key` for a request with another path, query or body',
  },
  'idempotency-key-spent': {
    code: 409,
    message: 'this request was already carried out, and its answer is shown only once',
    when: 'a request with this `Idempotency-Key` has succeeded before',
  },
  'list-too-long': {
    code: 400,
    message: `the list is too long: at most ${LIST_ITEMS} items`,
    when: `the list has more than ${LIST_ITEMS} items`,
  },
  'list-incomplete': {
    code: 400,
    message: "[…]: Key: '…' Error:…",
    when: 'a required field of an item is missing or empty; the text has a line for each',
  },
  'query-too-long': {
    code: 400,
    message: `the query is too long: at most ${QUERY_BYTES} bytes`,
    when: `the query has more than ${QUERY_BYTES} bytes`,
  },
  'page-invalid': { code: 400, message: 'strconv.ParseInt: parsing …', when: '`page` or `per_page` is not an integer' },
  'list-query-malformed': {
    code: 400,
    message: 'invalid …',
    when: 'the query contains a broken escape or a semicolon',
  },
  'account-id-invalid': { code: 400, message: 'strconv.Atoi: parsing …', when: '`id` is missing or not an integer' },
  'key-id-invalid': { code: 400, message: 'id format invalid', when: '`id` is missing or not an integer' },
  'setting-group-invalid': {
    code: 400,
    message: 'strconv.Atoi: parsing …',
    when: '`group`, or one of `groups`, is not an integer',
  },
  'key-owner-id-invalid': { code: 400, message: 'user id format invalid', when: '`uid` is missing or not an integer' },
  'ssh-key-request-invalid': {
    code: 400,
    message: 'request invalid',
    when: 'the body is not valid JSON, or `title` or `key` is missing or not a text',
  },
  'ssh-key-expiry-malformed': {
    code: 400,
    message: `expires must be ${AN_INSTANT}`,
    when: '`expires` is not an RFC 3339 time',
  },
} as const satisfies Record<string, RefusalRow>;

export type InputRefusal = keyof typeof inputRefusals;

export function inputRefusal(name: InputRefusal): Refusal {
  const { code, message } = inputRefusals[name];
  return new Refusal(code, message);
}
