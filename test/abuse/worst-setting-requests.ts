import { SETTINGS_BYTES } from '@keyfold/domain';
import type { ApiClient } from '../support/api-client.js';
import { addresses, FACTORY, FRAME, shown, SHOWN_QUERY, ROUNDS, type WorstRoute } from './worst-route.js';
import type { WorstTexts } from './worst-texts.js';

/** All settings. A sealed value counts as its sealed text, and an escape takes six bytes in an answer. */
const SETTINGS = FACTORY + 6 * SETTINGS_BYTES;
/** `GetSettings` limits the characters of the values, and an escape takes six bytes. A query names up to 4,096 keys. */
const REPEATED_SETTINGS = 6 * 1_048_576 + 4_096 * 256;

/** Returns the worst known requests of the administration of settings. */
export const settingRequests = (admin: ApiClient, texts: WorstTexts): Readonly<Record<string, WorstRoute>> => ({
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
      (round) => admin.post('/api/admin/setting/save', settingsOf(texts, `saved ${round}`)),
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
      (round) => admin.post(`/api/admin/setting/delete?key=unknown-${round}`),
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
});

/** Returns settings that together take nearly as much as they may: one public, one private, and some that Keyfold does not know. */
export function settingsOf(texts: WorstTexts, start: string): { key: string; value: string }[] {
  const unknown = Array.from({ length: ROUNDS }, (_, n) => ({
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
