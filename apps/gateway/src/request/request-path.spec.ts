import { describe, expect, it } from 'vitest';
import { isReadablePath, withPlainSlashes } from './request-path.js';

describe('an escaped slash', () => {
  it.each([
    ['/api/me', '/api/me'],
    ['/api%2Fme', '/api/me'],
    ['/api%2fme%2F?a=%2F', '/api/me/?a=%2F'],
    ['/api%252Fme', '/api%252Fme'],
    ['/api%%2Fme', '/api%/me'],
    ['/api/me?a=%2F?b', '/api/me?a=%2F?b'],
    ['/ap%69/me', '/ap%69/me'],
  ])('is a slash in the path only: %s', (url, plain) => {
    expect(withPlainSlashes(url)).toBe(plain);
  });
});

describe('a path', () => {
  it.each(['/api/%ff', '/%C3%28', '/api/%ff?a=%zz'])('with whole escapes can be read: %s', (url) => {
    expect(isReadablePath(url)).toBe(true);
  });

  it.each(['/api/%', '/api/%2', '/api/%zz', '/%ff/%z?a', 'nonsense'])('cannot be read: %s', (url) => {
    expect(isReadablePath(url)).toBe(false);
  });
});
