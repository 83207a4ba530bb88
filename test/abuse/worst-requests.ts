import { BYTES_PER_RING, keyIdOf, KEYS_PER_ACCOUNT, SETTINGS_BYTES, TEXT_BYTES } from '@keyfold/domain';
import type { Answer, ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { staticHash } from '../support/static-hash.js';
import { fullProfile } from './worst-commits.js';
import type { WorstTexts } from './worst-texts.js';

/** The repetitions of each request over which its CPU time is averaged. */
export const TURNS = 3;

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
  /** One session of `many` per turn. */
  leaving: readonly ApiClient[];
  /** Accounts with texts of maximum length, and those of them that also have a full ring. */
  accountIds: readonly number[];
  ringIds: readonly number[];
  texts: WorstTexts;
}>;

/** The maximum size of a route's answer by the limits of its content, and its worst requests. */
export type WorstRoute = Readonly<{
  bytes: number;
  /** The first request succeeds, unless `refused` is the code of its refusal. */
  requests: readonly ((turn: number) => Promise<Answer>)[];
  refused?: number;
}>;

/** Envelope, field names, numbers and times. */
const FRAME = 512;
const ACCOUNT = FRAME + TEXT_BYTES.username + TEXT_BYTES.basePath + TEXT_BYTES.ssoId;
/** A page of accounts. `ListAccounts` counts more per account than its frame. */
const ACCOUNTS = 2 * 1024 * 1024 + FRAME;
/** The titles of a ring, and the other fields of each key. */
const KEYS = FRAME + BYTES_PER_RING + KEYS_PER_ACCOUNT * 200;
/** A JSON Web Token: the base64 of the name, and other claims. */
const TOKEN = FRAME + Math.ceil((TEXT_BYTES.username * 4) / 3) + 512;
/** A 400 x 400 image with one bit per pixel, uncompressed in the worst case, in base64. */
const PICTURE = Math.ceil(((400 * 401) / 8) * (4 / 3)) + 1_024;
const QUERY = 16_384;
/** A refused number is echoed; an escape takes six bytes. */
const SHOWN_QUERY = FRAME + 6 * QUERY;
/** Lists that nobody can change, such as the factory settings with their other fields. */
const FACTORY = 32_768;
/** All settings. A sealed value counts as its sealed text, and an escape takes six bytes in an answer. */
const SETTINGS = FACTORY + 6 * SETTINGS_BYTES;
/** `GetSettings` limits the characters of the values, and an escape takes six bytes. A query names up to 4,096 keys. */
const REPEATED_SETTINGS = 6 * 1_048_576 + 4_096 * 256;

const shown = (name: string) => `${name}=${'<'.repeat(QUERY - name.length - 1)}`;
const addresses = (name: string) => `${name}=${'1.1.1.1:::'.repeat((QUERY - name.length - 1) / 10)}`;
const manyFields = Object.fromEntries(Array.from({ length: 8_000 }, (_, n) => [`f${n}`, n]));
const longText = '\0'.repeat(10_000);

/** Returns the worst known requests of each documented route, by `GET /path`. */
export function worstRequests(cast: Cast): Readonly<Record<string, WorstRoute>> {
  const { open, admin, many, manyId, manyName, longId, texts } = cast;
  const own = { id: manyId, username: manyName, permission: 1024 };
  const profile = (start: string) => ({ ...fullProfile(start, texts), role: 0, permission: 1024 });
  const withId = (path: string, id: (turn: number) => number, name = 'id') => [
    (turn: number) => admin.post(`${path}?${name}=${id(turn)}`),
    () => admin.post(`${path}?${shown(name)}`),
    () => admin.post(`${path}?${addresses(name)}`),
  ];
  const login = (path: string, password: string) => [
    () => open.post(path, { username: manyName, password }),
    (turn: number) => open.from(`198.51.${turn}.1`).post(path, { username: longText, password: longText }),
    (turn: number) => open.from(`198.51.${turn}.2`).post(path, manyFields),
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
    'GET /api/auth/logout': {
      bytes: FRAME,
      requests: [(turn) => cast.leaving[turn]!.get('/api/auth/logout')],
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
    'GET /api/me': { bytes: ACCOUNT, requests: [() => many.get('/api/me')] },
    'GET /api/me/sshkey/list': { bytes: KEYS, requests: page(many, '/api/me/sshkey/list') },
    'POST /api/me/update': {
      bytes: FRAME,
      requests: [
        (turn) => many.post('/api/me/update', { username: manyName, sso_id: texts.any(`${turn}`, TEXT_BYTES.ssoId) }),
        () => many.post('/api/me/update', { username: longText }),
        () => many.post('/api/me/update', { username: manyName, ...manyFields }),
      ],
    },
    'POST /api/me/sshkey/delete': {
      bytes: FRAME,
      requests: [
        (turn) => many.post(`/api/me/sshkey/delete?id=${keyIdOf(manyId, turn + 1)}`),
        () => many.post(`/api/me/sshkey/delete?${shown('id')}`),
      ],
    },
    'POST /api/me/sshkey/add': {
      bytes: FRAME,
      requests: [
        (turn) => many.post('/api/me/sshkey/add', { title: texts.any(`new ${turn}`, 900), key: newKeyLine().line }),
        () => many.post('/api/me/sshkey/add', { title: 'one too many', key: newKeyLine().line }),
        () => many.post('/api/me/sshkey/add', { title: 'no key', key: ' \t'.repeat(8_000) }),
        () => many.post('/api/me/sshkey/add', { title: longText, key: longText }),
      ],
    },
    'GET /api/admin/user/list': { bytes: ACCOUNTS, requests: page(admin, '/api/admin/user/list') },
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
        (turn) => admin.post('/api/admin/user/create', { ...profile(`made ${turn} `), password: 'pw' }),
        () => admin.post('/api/admin/user/create', { username: longText, base_path: '/../'.repeat(2_000) }),
        () => admin.post('/api/admin/user/create', { username: 'x', ...manyFields }),
      ],
    },
    'POST /api/admin/user/update': {
      bytes: FRAME,
      requests: [
        (turn) => admin.post('/api/admin/user/update', { ...profile(`${turn} `), ...own }),
        () => admin.post('/api/admin/user/update', { ...own, base_path: '../'.repeat(40_000) }),
        () => admin.post('/api/admin/user/update', { ...own, ...manyFields }),
      ],
    },
    'POST /api/admin/user/delete': {
      bytes: SHOWN_QUERY,
      requests: withId('/api/admin/user/delete', (turn) => cast.accountIds[turn]!),
    },
    'POST /api/admin/user/cancel_2fa': {
      bytes: SHOWN_QUERY,
      requests: withId('/api/admin/user/cancel_2fa', () => manyId),
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
      requests: withId('/api/admin/user/sshkey/delete', (turn) => keyIdOf(longId, turn + 1)),
    },
    'GET /api/admin/setting/list': {
      bytes: SETTINGS,
      requests: [
        () => admin.get('/api/admin/setting/list'),
        () => admin.get(`/api/admin/setting/list?groups=${'0,'.repeat(8_000)}0`),
        () => admin.get(`/api/admin/setting/list?${shown('group')}`),
        () => admin.get(`/api/admin/setting/list?${addresses('groups')}`),
      ],
    },
    'GET /api/admin/setting/get': {
      bytes: REPEATED_SETTINGS,
      requests: [
        () => admin.get('/api/admin/setting/get?key=announcement'),
        () => admin.get(`/api/admin/setting/get?keys=${Array(17).fill('announcement').join()}`),
        () => admin.get(`/api/admin/setting/get?keys=${Array(1_700).fill('home_icon').join()}`),
        () => admin.get(`/api/admin/setting/get?${shown('keys')}`),
      ],
    },
    'POST /api/admin/setting/save': {
      bytes: FRAME + 6 * 2_048,
      requests: [
        (turn) => admin.post('/api/admin/setting/save', settingsOf(texts, `saved ${turn}`)),
        () => admin.post('/api/admin/setting/save', Array(1_000).fill({ key: 'token', value: 'x'.repeat(64) })),
        () => admin.post('/api/admin/setting/save', Array(12_000).fill(null)),
        () => admin.post('/api/admin/setting/save', [{ key: 'privacy_regs', value: 'a{999}'.repeat(40) }]),
        () => admin.post('/api/admin/setting/save', [{ key: 'privacy_regs', value: '(?:[a-z]?){120}'.repeat(270) }]),
        () => admin.post('/api/admin/setting/save', [{ key: 'privacy_regs', value: '(){1000}'.repeat(500) }]),
        () => admin.post('/api/admin/setting/save', [{ key: 'privacy_regs', value: QUOTED_BRACKET }]),
        () => admin.post('/api/admin/setting/save', [{ key: 'privacy_regs', value: '['.repeat(4_096) }]),
        () => admin.post('/api/admin/setting/save', [{ key: 'privacy_regs', value: UNICODE_CLASSES }]),
        () => admin.post('/api/admin/setting/save', [{ key: 'multipart_chunk_size', value: '9'.repeat(100_000) }]),
        () => admin.post('/api/admin/setting/save', [{ key: 'filename_char_mapping', value: '['.repeat(60_000) }]),
      ],
    },
    'POST /api/admin/setting/delete': {
      bytes: SHOWN_QUERY,
      requests: [
        (turn) => admin.post(`/api/admin/setting/delete?key=unknown-${turn}`),
        () => admin.post(`/api/admin/setting/delete?${shown('key')}`),
      ],
    },
    'POST /api/admin/setting/default': {
      bytes: SETTINGS,
      requests: [
        () => admin.post('/api/admin/setting/default'),
        () => admin.post(`/api/admin/setting/default?${shown('group')}`),
      ],
    },
    'POST /api/admin/setting/reset_token': {
      bytes: FRAME,
      requests: [() => admin.post('/api/admin/setting/reset_token')],
    },
  };
}

/** Returns settings that together take nearly as much as they may: one public, one private, and some that Keyfold does not know. */
export function settingsOf(texts: WorstTexts, start: string): { key: string; value: string }[] {
  const unknown = Array.from({ length: TURNS }, (_, n) => ({
    key: `unknown-${n}`,
    value: texts.any(`${start} `, SETTINGS_BYTES / 16),
  }));
  return [
    { key: 'announcement', value: texts.any(`${start} `, SETTINGS_BYTES / 2) },
    { key: 'customize_body', value: texts.any(`${start} `, SETTINGS_BYTES / 8) },
    { key: 'privacy_regs', value: WORST_PATTERNS },
    ...unknown,
  ];
}

/** A reader that does not know `\Q` takes the rest for a class. */
const QUOTED_BRACKET = String.raw`\Q[\E${'a{1000}'.repeat(500)}]`;
const UNICODE_CLASSES = String.raw`(?i)[${String.raw`\pL`.repeat(1_360)}]`;
/** As large as patterns may be. The first matches short texts, but only after a search of the whole rest. */
const WORST_PATTERNS = '(?:[<1.:]*[<1][<1.:]{900}c|[<1])\n[^a]{400}[0-9]';
