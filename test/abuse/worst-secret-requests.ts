import { accessTokenScopes, secretIdOf, SECRETS_PER_ACCOUNT, TEXT_BYTES } from '@keyfold/domain';
import type { Cast } from './worst-requests.js';
import { FRAME, QUERY, shown, type WorstRoute } from './worst-route.js';

/** Fields, scopes and times of a secret. */
const SECRET = 400 + TEXT_BYTES.secretName;
/** A page of accounts with secrets; its last account may exceed what the page counts. */
const PAGE = 2 * 1024 * 1024 + FRAME + TEXT_BYTES.username;
/** A refusal that names fields. Messages have at most 2,048 characters, which may all need an escape. */
const FIELDS = FRAME + 6 * 2_048;
/** Names have at most 100 letters; a letter may be a pair of surrogates, which must not be split. */
const letters = (text: string, most: number) => [...text].slice(0, most).join('');
const longText = '\0'.repeat(10_000);
const unknownFields = Object.fromEntries(Array.from({ length: 32 }, (_, n) => ['<'.repeat(3_000) + n, n]));

/** The routes of one kind of secret. `fields` are those of a new one beside its name, and `long` too many of them. */
type Kind = Readonly<{
  own: string;
  any: string;
  fields: object;
  long: object;
}>;
const KINDS: readonly Kind[] = [
  {
    own: '/api/me/tokens',
    any: '/api/admin/token',
    fields: { scopes: accessTokenScopes.slice(0, 2) },
    long: { scopes: Array<string>(8_000).fill('profile:read') },
  },
  {
    own: '/api/me/app_passwords',
    any: '/api/admin/app_password',
    fields: { protocol: 'webdav' },
    long: { protocol: longText },
  },
];

/** Returns the worst known requests of the routes for access tokens and app passwords. `many` has as many of both as possible. */
export const secretRequests = (cast: Cast): Readonly<Record<string, WorstRoute>> =>
  Object.assign({}, ...KINDS.map((kind) => requestsOf(kind, cast))) as Record<string, WorstRoute>;

function requestsOf(
  { own, any, fields, long }: Kind,
  { admin, busy, many, manyId, accountIds, texts }: Cast,
): Readonly<Record<string, WorstRoute>> {
  const create = (name: string) => ({ name, ...fields });
  return {
    [`GET ${own}`]: { bytes: FRAME + SECRETS_PER_ACCOUNT * SECRET, requests: [() => many.get(own)] },
    [`POST ${own}`]: {
      bytes: FIELDS,
      requests: [
        (round) => busy.post(own, create(letters(texts.any(`${round} `, TEXT_BYTES.secretName), 100))),
        () => many.post(own, create('one too many')),
        () => many.post(own, create(longText)),
        () => many.post(own, { name: 'x', ...long }),
        () => many.post(own, { name: 'x', ...fields, expires: longText }),
        () => many.post(own, { ...create('with a proof'), password: longText, otp_code: longText }),
        () => many.post(own, unknownFields),
      ],
    },
    [`POST ${own}/revoke`]: {
      bytes: FIELDS,
      requests: [
        (round) => many.post(`${own}/revoke`, { id: secretIdOf(manyId, round + 1) }),
        () => many.post(`${own}/revoke`, { id: longText }),
        () => many.post(`${own}/revoke`, unknownFields),
      ],
    },
    [`GET ${any}/list`]: {
      bytes: PAGE,
      requests: [
        () => admin.get(`${any}/list`),
        () => admin.get(`${any}/list?per_page=1000&page=2`),
        () => admin.get(`${any}/list?user_id=${manyId}`),
        () => admin.get(`${any}/list?${shown('page')}`),
        () => admin.get(`${any}/list?${'&<'.repeat(QUERY / 2)}`),
      ],
    },
    [`POST ${any}/revoke`]: {
      bytes: FIELDS,
      requests: [
        (round) => admin.post(`${any}/revoke`, { id: secretIdOf(accountIds[100 + round]!, 1) }),
        () => admin.post(`${any}/revoke`, { id: longText }),
        () => admin.post(`${any}/revoke`, unknownFields),
      ],
    },
  };
}
