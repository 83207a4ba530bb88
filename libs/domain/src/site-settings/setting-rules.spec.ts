import { describe, expect, it } from 'vitest';
import { requireSettingKey } from './setting-rules.js';

describe('the key of a setting', () => {
  it.each(['site_title', 'token', '123_temp_dir', 'Unknown-Key_1', 'x'.repeat(128)])('can be %j', (key) => {
    expect(() => requireSettingKey(key)).not.toThrow();
  });

  it.each(['', ' ', 'a b', '_x', '__proto__', 'a.b', '$a', 'ä', 'x'.repeat(129)])('cannot be %j', (key) => {
    expect(() => requireSettingKey(key)).toThrow('setting-key-invalid');
  });
});
