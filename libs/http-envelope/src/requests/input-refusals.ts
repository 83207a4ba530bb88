import { Refusal, row, type RefusalRow } from '../refusal.js';

/** Maximum size of a query in bytes. Parsing 3,000 bytes takes about a millisecond. */
export const QUERY_BYTES = 16_384;

/** Maximum number of items of a list in a body. */
export const LIST_ITEMS = 1_000;

/** Maximum number of fields of a checked body or query. Every route has fewer. */
export const FIELDS = 32;

/** Maximum length of the header `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_LETTERS = 255;

/** Completes the sentence "must be …" for a text that is not an instant. */
export const AN_INSTANT = 'an RFC 3339 time such as 2027-01-31T12:00:00Z';

/** Documents the refusals of requests that cannot be read (wire contract 1.9). `…` stands for a part that depends on the request. */
export const inputRefusals = {
  'body-empty': row(400, 'EOF', 'the body is empty'),
  'body-malformed': row(400, '…', 'the body is not valid JSON, or a field has the wrong type; the text names it'),
  'body-incomplete': row(400, "Key: '…' Error:…", 'a required field is missing or empty; the text has a line for each'),
  'body-unreadable': row(
    400,
    'the body must be a JSON object, sent as application/json',
    'the body is empty, not valid JSON, not UTF-8 or no JSON object, or has another content type',
  ),
  'too-many-fields': row(400, `too many fields: at most ${FIELDS}`, `the request has more than ${FIELDS} fields`),
  'fields-invalid': row(400, '…', 'a field is missing, wrong or unknown; the text has a line for each'),
  'idempotency-key-invalid': row(
    400,
    `Idempotency-Key must consist of 1 to ${IDEMPOTENCY_KEY_LETTERS} visible ASCII characters`,
    'the header `Idempotency-Key` is empty, too long, sent twice or contains other characters',
  ),
  'idempotency-key-reused': row(
    422,
    'this Idempotency-Key was used for another request: choose a new key',
    'the account has used the `Idempotency-Key` for a request with another path, query or body',
  ),
  'idempotency-key-spent': row(
    409,
    'this request was already carried out, and its answer is shown only once',
    'a request with this `Idempotency-Key` has succeeded before',
  ),
  'list-too-long': row(
    400,
    `the list is too long: at most ${LIST_ITEMS} items`,
    `the list has more than ${LIST_ITEMS} items`,
  ),
  'list-incomplete': row(
    400,
    "[…]: Key: '…' Error:…",
    'a required field of an item is missing or empty; the text has a line for each',
  ),
  'query-too-long': row(
    400,
    `the query is too long: at most ${QUERY_BYTES} bytes`,
    `the query has more than ${QUERY_BYTES} bytes`,
  ),
  'page-invalid': row(400, 'strconv.ParseInt: parsing …', '`page` or `per_page` is not an integer'),
  'list-query-malformed': row(400, 'invalid …', 'the query contains a broken escape or a semicolon'),
  'account-id-invalid': row(400, 'strconv.Atoi: parsing …', '`id` is missing or not an integer'),
  'key-id-invalid': row(400, 'id format invalid', '`id` is missing or not an integer'),
  'setting-group-invalid': row(400, 'strconv.Atoi: parsing …', '`group`, or one of `groups`, is not an integer'),
  'key-owner-id-invalid': row(400, 'user id format invalid', '`uid` is missing or not an integer'),
  'ssh-key-request-invalid': row(
    400,
    'request invalid',
    'the body is not valid JSON, or `title` or `key` is missing or not a text',
  ),
  'ssh-key-expiry-malformed': row(400, `expires must be ${AN_INSTANT}`, '`expires` is not an RFC 3339 time'),
} satisfies Record<string, RefusalRow>;

export type InputRefusal = keyof typeof inputRefusals;

export function inputRefusal(name: InputRefusal): Refusal {
  const { code, message } = inputRefusals[name];
  return new Refusal(code, message);
}
