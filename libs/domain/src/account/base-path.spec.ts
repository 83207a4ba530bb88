import { describe, expect, it } from 'vitest';
import { cleanBasePath } from './base-path.js';

describe('a base path', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['.', '/'],
    ['..', '/'],
    ['//', '/'],
    ['/../..', '/'],
    ['../../x', '/x'],
    ['x', '/x'],
    ['/x', '/x'],
    ['/x/', '/x'],
    ['..\\x//y/', '/x/y'],
    ['\\\\server\\share\\', '/server/share'],
    ['/a/./b/../c', '/a/c'],
    ['/a/../../b', '/b'],
    ['/...', '/...'],
    ['/.hidden', '/.hidden'],
    [' /x ', '/ /x '],
    ['/für/文', '/für/文'],
  ])('%j becomes %j', (path, cleaned) => {
    expect(cleanBasePath(path)).toBe(cleaned);
  });
});
