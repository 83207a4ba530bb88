import { accessTokenIdOf, accessTokenScopes, TEXT_BYTES, SECRETS_PER_ACCOUNT } from '@keyfold/domain';
import type { Cast } from './worst-requests.js';
import { FRAME, QUERY, shown, type WorstRoute } from './worst-route.js';

/** Fields, scopes and times of a token. */
const TOKEN = 400 + TEXT_BYTES.secretName;
/** A page of tokens; its last account may exceed what the page counts. */
const PAGE = 2 * 1024 * 1024 + FRAME + TEXT_BYTES.username;
/** A refusal that names fields. Messages have at most 2,048 characters, which may all need an escape. */
const FIELDS = FRAME + 6 * 2_048;
/** Names have at most 100 letters; a letter may be a pair of surrogates, which must not be split. */
const letters = (text: string, most: number) => [...text].slice(0, most).join('');
const longText = '\0'.repeat(10_000);
const unknownFields = Object.fromEntries(Array.from({ length: 32 }, (_, n) => ['<'.repeat(3_000) + n, n]));

/** Returns the worst known requests of the routes for access tokens. `many` has as many tokens as possible. */
export function tokenRequests({
  admin,
  busy,
  many,
  manyId,
  accountIds,
  texts,
}: Cast): Readonly<Record<string, WorstRoute>> {
  const create = (name: string) => ({ name, scopes: ['profile:read', 'keys:manage'] });
  return {
    'GET /api/me/tokens': { bytes: FRAME + SECRETS_PER_ACCOUNT * TOKEN, requests: [() => many.get('/api/me/tokens')] },
    'POST /api/me/tokens': {
      bytes: FIELDS,
      requests: [
        (turn) => busy.post('/api/me/tokens', create(letters(texts.any(`${turn} `, TEXT_BYTES.secretName), 100))),
        () => many.post('/api/me/tokens', create('one too many')),
        () => many.post('/api/me/tokens', create(longText)),
        () => many.post('/api/me/tokens', { name: 'x', scopes: Array<string>(8_000).fill('profile:read') }),
        () => many.post('/api/me/tokens', { name: 'x', scopes: accessTokenScopes, expires: longText }),
        () => many.post('/api/me/tokens', unknownFields),
      ],
    },
    'POST /api/me/tokens/revoke': {
      bytes: FIELDS,
      requests: [
        (turn) => many.post('/api/me/tokens/revoke', { id: accessTokenIdOf(manyId, turn + 1) }),
        () => many.post('/api/me/tokens/revoke', { id: longText }),
        () => many.post('/api/me/tokens/revoke', unknownFields),
      ],
    },
    'GET /api/admin/token/list': {
      bytes: PAGE,
      requests: [
        () => admin.get('/api/admin/token/list'),
        () => admin.get('/api/admin/token/list?per_page=1000&page=2'),
        () => admin.get(`/api/admin/token/list?user_id=${manyId}`),
        () => admin.get(`/api/admin/token/list?${shown('page')}`),
        () => admin.get(`/api/admin/token/list?${'&<'.repeat(QUERY / 2)}`),
      ],
    },
    'POST /api/admin/token/revoke': {
      bytes: FIELDS,
      requests: [
        (turn) => admin.post('/api/admin/token/revoke', { id: accessTokenIdOf(accountIds[100 + turn]!, 1) }),
        () => admin.post('/api/admin/token/revoke', { id: longText }),
        () => admin.post('/api/admin/token/revoke', unknownFields),
      ],
    },
  };
}
