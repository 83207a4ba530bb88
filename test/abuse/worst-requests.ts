import { BYTES_PER_RING, keyIdOf, KEYS_PER_ACCOUNT, SETTINGS_BYTES, TEXT_BYTES, type PublicKey } from '@keyfold/domain';
import { md5FingerprintOf } from '@keyfold/projections';
import type { ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { staticHash } from '../support/static-hash.js';
import { activityRequests } from './worst-activity-requests.js';
import { fullProfile, worstSessionId } from './worst-commits.js';
import { addresses, FACTORY, FRAME, shown, SHOWN_QUERY, type WorstRoute } from './worst-route.js';
import { secretRequests } from './worst-secret-requests.js';
import { settingRequests } from './worst-setting-requests.js';
import type { WorstTexts } from './worst-texts.js';

/** The accounts of the test. Both members have a full ring; the test may delete the accounts. */
export type Cast = Readonly<{
  open: ApiClient;
  admin: ApiClient;
  /** Has as many keys as possible. */
  many: ApiClient;
  manyId: number;
  manyName: string;
  /** Has keys as long as possible. */
  longId: number;
  /** One session of `many` per round. */
  leaving: readonly ApiClient[];
  /** One account per round, with as many access tokens and app passwords as possible. */
  doomed: readonly ApiClient[];
  /** Has as many sessions as its list shows, and two-factor. */
  busy: ApiClient;
  /** Accounts with texts of maximum length, and those of them that also have a full ring. */
  accountIds: readonly number[];
  ringIds: readonly number[];
  /** The last key in each of these rings. */
  shared: PublicKey;
  texts: WorstTexts;
}>;

const ACCOUNT = FRAME + TEXT_BYTES.username + TEXT_BYTES.basePath + TEXT_BYTES.ssoId;
/** A page of accounts. `ListAccounts` counts more per account than its frame. */
const ACCOUNTS = 2 * 1024 * 1024 + FRAME;
/** The texts of a ring, and the other fields of each key. */
const KEYS = FRAME + BYTES_PER_RING + KEYS_PER_ACCOUNT * 400;
/** A list of 1,000 sessions whose user agents need an escape for each of their 256 characters. */
const SESSIONS = FRAME + 1_000 * (6 * 256 + 400);
/** A JSON Web Token: the base64 of the name, and other claims. */
const TOKEN = FRAME + Math.ceil((TEXT_BYTES.username * 4) / 3) + 512;
/** A 400 x 400 image with one bit per pixel, uncompressed in the worst case, in base64. */
const PICTURE = Math.ceil(((400 * 401) / 8) * (4 / 3)) + 1_024;
const manyFields = Object.fromEntries(Array.from({ length: 8_000 }, (_, n) => [`f${n}`, n]));
const longText = '\0'.repeat(10_000);

/** Returns the worst known requests of each documented route, by `GET /path`. */
export function worstRequests(cast: Cast): Readonly<Record<string, WorstRoute>> {
  const { open, admin, many, manyId, manyName, longId, busy, texts } = cast;
  const own = { id: manyId, username: manyName, permission: 1024 };
  const profile = (start: string) => ({ ...fullProfile(start, texts), role: 0, permission: 1024 });
  const withId = (path: string, id: (round: number) => number, name = 'id') => [
    (round: number) => admin.post(`${path}?${name}=${id(round)}`),
    () => admin.post(`${path}?${shown(name)}`),
    () => admin.post(`${path}?${addresses(name)}`),
  ];
  const login = (path: string, password: string) => [
    () => open.post(path, { username: manyName, password }),
    (round: number) => open.from(`198.51.${round}.1`).post(path, { username: longText, password: longText }),
    (round: number) => open.from(`198.51.${round}.2`).post(path, manyFields),
  ];
  const page = (client: ApiClient, path: string) => [
    () => client.get(path),
    () => client.get(`${path}${path.includes('?') ? '&' : '?'}per_page=100000&page=1`),
    () => client.get(`${path}${path.includes('?') ? '&' : '?'}${shown('page').slice(0, 16_300)}`),
  ];
  return {
    'GET /ping': { bytes: 4, requests: [() => open.get('/ping')] },
    'GET /api/public/settings': { bytes: FACTORY + SETTINGS_BYTES, requests: [() => open.get('/api/public/settings')] },
    'GET /api/public/archive_extensions': {
      bytes: FACTORY,
      requests: [() => open.get('/api/public/archive_extensions')],
    },
    'GET /api/public/offline_download_tools': {
      bytes: FRAME,
      requests: [() => open.get('/api/public/offline_download_tools')],
    },
    'POST /api/auth/login': { bytes: TOKEN, requests: login('/api/auth/login', 'pw') },
    'POST /api/auth/login/hash': { bytes: TOKEN, requests: login('/api/auth/login/hash', staticHash('pw')) },
    'POST /api/auth/login/ldap': { bytes: FRAME, refused: 403, requests: login('/api/auth/login/ldap', 'pw') },
    'GET /api/auth/setup': { bytes: FRAME, requests: [() => open.get('/api/auth/setup')] },
    'POST /api/auth/setup': {
      bytes: FRAME,
      refused: 400,
      requests: [
        () => open.post('/api/auth/setup', { code: longText, password: longText }),
        () => open.post('/api/auth/setup', { code: 'x', password: longText.slice(0, 1_024) }),
        () => open.post('/api/auth/setup', manyFields),
      ],
    },
    'GET /api/auth/logout': {
      bytes: FRAME,
      requests: [(round) => cast.leaving[round]!.get('/api/auth/logout')],
    },
    'POST /api/auth/2fa/generate': {
      bytes: FRAME + PICTURE,
      requests: [() => many.post('/api/auth/2fa/generate')],
    },
    'POST /api/auth/2fa/verify': {
      bytes: FRAME,
      refused: 400,
      requests: [
        () => many.post('/api/auth/2fa/verify', { code: '123456', secret: longText }),
        () => many.post('/api/auth/2fa/verify', manyFields),
      ],
    },
    'POST /api/auth/2fa/recovery_codes': {
      bytes: FRAME,
      requests: [
        () => busy.post('/api/auth/2fa/recovery_codes', { password: 'pw' }),
        () => busy.post('/api/auth/2fa/recovery_codes', { otp_code: longText }),
        () => busy.post('/api/auth/2fa/recovery_codes', manyFields),
      ],
    },
    'POST /api/auth/2fa/disable': {
      bytes: FRAME,
      refused: 400,
      requests: [
        () => busy.post('/api/auth/2fa/disable', { password: longText }),
        () => busy.post('/api/auth/2fa/disable', { otp_code: 'A'.repeat(60) }),
        () => busy.post('/api/auth/2fa/disable', manyFields),
      ],
    },
    'GET /api/me': { bytes: ACCOUNT, requests: [() => many.get('/api/me')] },
    'GET /api/me/sshkey/list': { bytes: KEYS, requests: page(many, '/api/me/sshkey/list') },
    'GET /api/me/sshkey/authorized_keys': {
      bytes: KEYS,
      requests: [() => many.get('/api/me/sshkey/authorized_keys')],
    },
    'POST /api/me/sshkey/update': {
      bytes: FRAME,
      refused: 400,
      requests: [
        () => many.post('/api/me/sshkey/update', { id: keyIdOf(manyId, 1), title: longText }),
        () => many.post('/api/me/sshkey/update', { id: keyIdOf(manyId, 1), expires: '9'.repeat(100_000) }),
        () => many.post('/api/me/sshkey/update', manyFields),
      ],
    },
    'GET /api/admin/sshkey/find': {
      bytes: FRAME + 100 * (TEXT_BYTES.username + TEXT_BYTES.title + 200),
      requests: [
        () => admin.get(`/api/admin/sshkey/find?fingerprint=${encodeURIComponent(cast.shared.fingerprint)}`),
        () => admin.get(`/api/admin/sshkey/find?fingerprint=${md5FingerprintOf(cast.shared.blob)}`),
        () => admin.get(`/api/admin/sshkey/find?${shown('fingerprint').slice(0, 16_300)}`),
      ],
    },
    'POST /api/me/revoke-everything': {
      bytes: FRAME,
      requests: [(round) => cast.doomed[round]!.post('/api/me/revoke-everything')],
    },
    'GET /api/me/sessions': { bytes: SESSIONS, requests: [() => busy.get('/api/me/sessions')] },
    'POST /api/me/sessions/evict': {
      bytes: FRAME,
      requests: [
        (round) => busy.post('/api/me/sessions/evict', { session_id: worstSessionId(round) }),
        () => busy.post('/api/me/sessions/evict', { session_id: longText }),
        () => busy.post('/api/me/sessions/evict', manyFields),
      ],
    },
    ...secretRequests(cast),
    'POST /api/me/update': {
      bytes: FRAME,
      requests: [
        (round) => many.post('/api/me/update', { username: manyName, sso_id: texts.any(`${round}`, TEXT_BYTES.ssoId) }),
        () => many.post('/api/me/update', { username: longText }),
        () => many.post('/api/me/update', { username: manyName, ...manyFields }),
      ],
    },
    'POST /api/me/sshkey/delete': {
      bytes: FRAME,
      requests: [
        (round) => many.post(`/api/me/sshkey/delete?id=${keyIdOf(manyId, round + 1)}`),
        () => many.post(`/api/me/sshkey/delete?${shown('id')}`),
      ],
    },
    'POST /api/me/sshkey/add': {
      bytes: FRAME,
      requests: [
        (round) => many.post('/api/me/sshkey/add', { title: texts.any(`new ${round}`, 900), key: newKeyLine().line }),
        () => many.post('/api/me/sshkey/add', { title: 'one too many', key: newKeyLine().line }),
        () => many.post('/api/me/sshkey/add', { title: 'no key', key: ' \t'.repeat(8_000) }),
        () => many.post('/api/me/sshkey/add', { title: longText, key: longText }),
      ],
    },
    'GET /api/admin/user/list': { bytes: ACCOUNTS, requests: page(admin, '/api/admin/user/list') },
    'GET /api/admin/session/list': { bytes: ACCOUNTS, requests: page(admin, '/api/admin/session/list') },
    'POST /api/admin/session/evict': {
      bytes: FRAME,
      requests: [
        (round) => admin.post('/api/admin/session/evict', { session_id: worstSessionId(100 + round) }),
        () => admin.post('/api/admin/session/evict', { session_id: longText }),
        () => admin.post('/api/admin/session/evict', { user_id: longId }),
      ],
    },
    'GET /api/admin/user/get': {
      bytes: SHOWN_QUERY,
      requests: [
        () => admin.get(`/api/admin/user/get?id=${manyId}`),
        () => admin.get(`/api/admin/user/get?${shown('id')}`),
        () => admin.get(`/api/admin/user/get?${addresses('id')}`),
      ],
    },
    'POST /api/admin/user/create': {
      bytes: FRAME,
      requests: [
        (round) => admin.post('/api/admin/user/create', { ...profile(`made ${round} `), password: 'pw' }),
        () => admin.post('/api/admin/user/create', { username: longText, base_path: '/../'.repeat(2_000) }),
        () => admin.post('/api/admin/user/create', { username: 'x', ...manyFields }),
      ],
    },
    'POST /api/admin/user/update': {
      bytes: FRAME,
      requests: [
        (round) => admin.post('/api/admin/user/update', { ...profile(`${round} `), ...own }),
        () => admin.post('/api/admin/user/update', { ...own, base_path: '../'.repeat(40_000) }),
        () => admin.post('/api/admin/user/update', { ...own, ...manyFields }),
      ],
    },
    'POST /api/admin/user/delete': {
      bytes: SHOWN_QUERY,
      requests: withId('/api/admin/user/delete', (round) => cast.accountIds[round]!),
    },
    'POST /api/admin/user/cancel_2fa': {
      bytes: SHOWN_QUERY,
      requests: withId('/api/admin/user/cancel_2fa', () => manyId),
    },
    'POST /api/admin/user/revoke-everything': {
      bytes: SHOWN_QUERY,
      requests: withId('/api/admin/user/revoke-everything', (round) => cast.accountIds[200 + round]!),
    },
    'POST /api/admin/user/del_cache': {
      bytes: FRAME,
      requests: [
        () => admin.post(`/api/admin/user/del_cache?username=${encodeURIComponent(manyName).slice(0, 15_000)}`),
        () => admin.post(`/api/admin/user/del_cache?${shown('username')}`),
      ],
    },
    'GET /api/admin/user/sshkey/list': {
      bytes: KEYS,
      requests: [
        ...page(admin, `/api/admin/user/sshkey/list?uid=${manyId}`),
        () => admin.get(`/api/admin/user/sshkey/list?uid=${longId}`),
      ],
    },
    'POST /api/admin/user/sshkey/delete': {
      bytes: SHOWN_QUERY,
      requests: withId('/api/admin/user/sshkey/delete', (round) => keyIdOf(longId, round + 1)),
    },
    ...activityRequests(cast),
    ...settingRequests(admin, texts),
  };
}
