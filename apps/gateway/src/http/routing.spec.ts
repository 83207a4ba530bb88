import { describe, expect, it } from 'vitest';
import { headFault, isReadablePath, routedPath } from './routing.js';

describe('an escaped slash', () => {
  it.each([
    ['/api/me', '/api/me'],
    ['/api%2Fme', '/api/me'],
    ['/api%2fme%2F?a=%2F', '/api/me/?a=%2F'],
    ['/api%252Fme', '/api%252Fme'],
    ['/api%%2Fme', '/api%/me'],
    ['/api/me?a=%2F?b', '/api/me?a=%2F?b'],
    ['/ap%69/me', '/ap%69/me'],
  ])('counts as a slash only in the path: %s', (url, plain) => {
    expect(routedPath(url)).toBe(plain);
  });
});

describe('an administration path', () => {
  it.each(['/api/admin', '/api/admin/user/list?a=%2F', '/api/admin#%61'])(
    'without an escape is unchanged: %s',
    (url) => {
      expect(routedPath(url)).toBe(url);
    },
  );

  it.each([
    ['/api%2Fadmin/user/list', '/api%252Fadmin/user/list'],
    ['/api%2fadmin', '/api%252fadmin'],
    ['/%61pi/admin/user/list?id=%31', '/%2561pi/admin/user/list?id=%31'],
    ['/api/admi%6E/', '/api/admi%256E/'],
    ['/api/admin/user%2Flist', '/api/admin/user%252Flist'],
    ['/%2561pi%2Fadmin', '/%2561pi/admin'],
    ['/ap%69/admin/user/list#%zz', '/ap%2569/admin/user/list#%zz'],
  ])('with an escape matches no route: %s', (url, routed) => {
    expect(routedPath(url)).toBe(routed);
  });

  it('starts with complete segments', () => {
    expect(routedPath('/api/administr%61tors')).toBe('/api/administr%61tors');
  });
});

describe('a path', () => {
  it.each(['/api/%ff', '/%C3%28', '/api/%ff?a=%zz'])('with complete escapes is readable: %s', (url) => {
    expect(isReadablePath(url)).toBe(true);
  });

  it.each(['/api/%', '/api/%2', '/api/%zz', '/%ff/%z?a', 'nonsense'])('is not readable: %s', (url) => {
    expect(isReadablePath(url)).toBe(false);
  });
});

describe('a request', () => {
  const rawHeaders = ['Host', 'a', 'X-Host', 'b'];

  it.each(['/', '/api/me?a=http://h/', '//h/api/admin', '*'])('is accepted with the target %s', (url) => {
    expect(headFault({ url, rawHeaders })).toBeUndefined();
  });

  it.each(['http://h/api/admin/user/list', 'HTTPS://h/', 'h:443', ''])('is refused with the target %j', (url) => {
    expect(headFault({ url, rawHeaders })).toMatchObject({ status: 400, message: 'the request target must be a path' });
  });

  it('is refused with two hosts, whatever their spelling', () => {
    expect(headFault({ url: '/', rawHeaders: [...rawHeaders, 'hOST', 'a'] })).toMatchObject({
      status: 400,
      message: 'the request has more than one Host header',
    });
  });
});
