import { describe, expect, it } from 'vitest';
import { normalSettingValue, requireSettingKey, requireSuitableStaticToken } from './setting-rules.js';

describe('the key of a setting', () => {
  it.each(['site_title', 'token', '123_temp_dir', 'Unknown-Key_1', 'x'.repeat(128)])('can be %j', (key) => {
    expect(() => requireSettingKey(key)).not.toThrow();
  });

  it.each(['', ' ', 'a b', '_x', '__proto__', 'a.b', '$a', 'ä', 'x'.repeat(129)])('cannot be %j', (key) => {
    expect(() => requireSettingKey(key)).toThrow('setting-key-invalid');
  });
});

describe('an address that browsers follow', () => {
  const previews = (address: string) => JSON.stringify({ pdf: { Viewer: address } });

  it.each([
    ['favicon', 'javascript:alert(1)'],
    ['favicon', ' Java\tScript:alert(1)'],
    ['favicon', 'data:text/html,<script>1</script>'],
    ['logo', 'https://a.example/logo.svg\nvbscript:x'],
    ['audio_cover', '\u0001javascript:x'],
    ['iframe_previews', previews('javascript:alert(1)').replace('j', '\\u006a')],
    ['external_previews', previews('JAVASCRIPT:alert(1)')],
  ])('must not run code: %s %j', (key, value) => {
    expect(() => normalSettingValue(key, value)).toThrow('setting-address-unsuitable');
  });

  it.each([
    ['favicon', 'https://a.example/javascript:x'],
    ['favicon', '/icon.svg'],
    ['favicon', ''],
    ['logo', 'data:image/svg+xml;base64,PHN2Zy8+'],
    ['external_previews', previews('vlc://$durl')],
    ['iframe_previews', 'no JSON'],
    ['announcement', 'javascript: a language'],
  ])('can be %s %j', (key, value) => {
    expect(normalSettingValue(key, value)).toBe(value);
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
