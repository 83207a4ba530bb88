import { describe, expect, it } from 'vitest';
import { requireSettingKey, requireSuitableStaticToken } from './setting-rules.js';

describe('the key of a setting', () => {
  it.each(['site_title', 'token', '123_temp_dir', 'Unknown-Key_1', 'x'.repeat(128)])('can be %j', (key) => {
    expect(() => requireSettingKey(key)).not.toThrow();
  });

  it.each(['', ' ', 'a b', '_x', '__proto__', 'a.b', '$a', 'ä', 'x'.repeat(129)])('cannot be %j', (key) => {
    expect(() => requireSettingKey(key)).toThrow('setting-key-invalid');
  });
});

describe('the static token', () => {
  it.each(['x'.repeat(16), '~'.repeat(1_024), 'openlist-0123456789'])('can be %j', (token) => {
    expect(() => requireSuitableStaticToken(token)).not.toThrow();
  });

  it.each([
    '',
    'x'.repeat(15),
    'x'.repeat(1_025),
    ' leading-blank-is-long',
    'a blank within it all',
    'ümlaut-ümlaut-ümlaut',
    `kf_${'0'.repeat(42)}`,
  ])('cannot be %j', (token) => {
    expect(() => requireSuitableStaticToken(token)).toThrow('static-token-unsuitable');
  });
});
