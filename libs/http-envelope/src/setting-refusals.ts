import { SETTINGS_BYTES, type DomainErrorCode } from '@keyfold/domain';
import type { RefusalRow } from './refusal.js';

/** A value that the original's hook for a setting refuses. */
const hook = (key: string, cause: string, when: string) => ({
  code: 500,
  message: `failed to execute hook on ${key}: ${cause}`,
  when,
});

/** The refusals of settings (wire contract 2.8). compat: refused values carry 500 and name a hook. */
export const settingRefusals = {
  'setting-not-found': { code: 400, message: 'record not found', when: 'no setting has this key' },
  'too-many-settings-requested': {
    code: 400,
    message: 'the answer would be too long, name fewer keys',
    when: '`keys` contains so many keys that the answer would exceed its limit',
  },
  'no-settings-to-save': {
    code: 500,
    message: 'failed save setting: the list is empty',
    when: 'the list is empty',
  },
  'setting-key-invalid': {
    code: 400,
    message: 'a key of a setting consists of 1 to 128 letters, digits, underscores and hyphens',
    when: 'Keyfold does not know the setting, and its key has other characters or is too long',
  },
  'settings-too-large': {
    code: 400,
    message: `the settings are too long: at most ${SETTINGS_BYTES} bytes together`,
    when: 'all saved settings together would exceed the limit',
  },
  'api-token-unsuitable': hook(
    'token',
    'the static token must consist of 16 to 1024 visible ASCII characters and not look like an access token',
    'the new static token is empty, too short, too long, no header value or in the form of an access token',
  ),
  'chunk-size-invalid': hook(
    'multipart_chunk_size',
    'multipart chunk size must be a positive integer (MB), got {goQuoted}',
    '`multipart_chunk_size` is not a positive integer',
  ),
  'character-mapping-invalid': hook(
    'filename_char_mapping',
    'expected a JSON object whose values are texts',
    '`filename_char_mapping` is not a JSON object of texts',
  ),
  'search-index-unknown': hook(
    'search_index',
    'not support index: {quoted}',
    '`search_index` is not one of its options',
  ),
  'privacy-patterns-invalid': hook(
    'privacy_regs',
    '{quoted}',
    'a line of `privacy_regs` is not a regular expression of RE2, or all together are too large',
  ),
  'setting-not-deprecated': {
    code: 500,
    message: 'setting [{quoted}] is not deprecated',
    when: 'Keyfold knows the setting',
  },
  'deleted-setting-not-found': {
    code: 500,
    message: 'failed to get settingItem: record not found',
    when: 'no setting has this key',
  },
} as const satisfies Partial<Record<DomainErrorCode, RefusalRow>>;
