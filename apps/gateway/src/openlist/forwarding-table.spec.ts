import { Fault } from '@keyfold/http-envelope';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forwardedRow, forwardingRows } from './forwarding-table.js';

const OWN = ['/api/me', '/api/admin/session/list', '/openapi.json', '/s3', '/ping', '/api/public/settings'];
const isRoute = (path: string) => OWN.includes(path) || path.startsWith('/docs/');
const speakerOf = (url: string) => forwardedRow(url, isRoute)?.speaker ?? 'answered here';

describe('a request', () => {
  it.each([
    ['/api/me', 'answered here'],
    ['/api/me/sshkey/list', 'answered here'],
    ['/api/auth/login/ldap', 'answered here'],
    ['/api/auth/of/later/versions', 'answered here'],
    ['/api/authn/getcredentials', 'answered here'],
    ['/api/admin/user/list?page=1', 'answered here'],
    ['/api/admin/session/list', 'answered here'],
    ['/openapi.json', 'answered here'],
    ['/docs', 'answered here'],
    ['/docs/events', 'answered here'],
    ['/docs/swagger-ui.css', 'answered here'],
    ['/docs/report.pdf', 'nobody'],
    ['/schemas/ssh-key.added/1.0.0.json', 'answered here'],
    ['/api/%61uth/login', 'answered here'],
    ['/api%2Fme', 'answered here'],
    ['/api/admin/setting/reset_token', 'answered here'],
    ['/api/admin/setting/list', 'caller'],
    ['/api/admin/storage/list', 'caller'],
    ['/api/task/upload/done', 'caller'],
    ['/api/later', 'caller'],
    ['/api/menu', 'caller'],
    ['/api/fs/list', 'caller or nobody'],
    ['/api/fs/list/', 'caller or nobody'],
    ['/api/fs/lists', 'caller'],
    ['/mcp', 'caller or nobody'],
    ['/api/public/settings', 'nobody'],
    ['/ping', 'nobody'],
    ['/', 'nobody'],
    ['/@manage/users', 'nobody'],
    ['/d/a//b%20c.txt?sign=x', 'nobody'],
    ['/Docs/API', 'nobody'],
    ['/dav', 'login'],
    ['/dav/a//B', 'login'],
    ['/davos', 'nobody'],
    ['/s3/bucket', 'signature'],
  ])('for %s: %s', (url, speaker) => {
    expect(speakerOf(url)).toBe(speaker);
  });

  it.each([
    '/api//auth/login',
    '//api/auth/login',
    '/api/%2fauth/login',
    '/API/auth/login',
    '/api/Auth/login',
    '/api/%2561uth/login',
    '/api%5Cauth%5Clogin',
    '/api/fs//list',
    '/api/admin/setting//reset_token',
    '/api/admin/Setting/reset_token',
  ])('that somebody could read as one of another row is refused: %s', (url) => {
    expect(() => speakerOf(url)).toThrow(expect.objectContaining({ status: 404 }));
  });

  it.each([
    '/api/admin/setting/../setting/reset_token',
    '/api/admin/setting/%2e%2e/setting/reset_token',
    '/d/./a',
    '/d/%5c..%5ca',
    '/a\\b',
    '/a#b',
    '/a\tb',
    '/%zz',
    '/%',
    'http://h/api/fs/list',
    '',
  ])('whose address cannot be read for sure is refused: %s', (url) => {
    expect(() => speakerOf(url)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('never reaches the accounts of OpenList, however its address is spelt', () => {
    const spelling = fc.constantFrom(
      '/',
      '//',
      '/./',
      '/../',
      '%2f',
      '%2F',
      '\\',
      '%5c',
      'api',
      'API',
      '%61pi',
      'auth',
      'AUTH',
    );
    const spellings = fc.array(fc.oneof(spelling, fc.constantFrom('login', '%6cogin', '%256cogin', 'me', 'x')), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(spellings, (parts) => {
        const url = `/${parts.join('')}`;
        try {
          if (forwardedRow(url, isRoute) === undefined) return;
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          return;
        }
        // OpenList routes by the unescaped path.
        expect(decodeURIComponent(url)).not.toMatch(/^\/api\/(auth|authn|me|admin\/user)(\/|$)/);
      }),
    );
  });
});

it.each([
  ['/d/film.mkv?sign=x', true],
  ['/%64/film.mkv', true],
  ['/%70/a', true],
  ['/p%2fa', true],
  ['/sad/x', true],
  ['/dav', true],
  ['/da%76/x', true],
  ['/s3/bucket', true],
  ['/robots.txt', false],
  ['/data', false],
  ['/api/fs/list', false],
])('the headers of %s may reach a storage provider: %s', (url, reaches) => {
  expect(forwardedRow(url, isRoute)?.reachesProviders ?? false).toBe(reaches);
});

describe('a request for the static token', () => {
  it.each([
    'get?key=token',
    'get?keys=token',
    'get?key=%74oken',
    'get?key=+token+',
    'get?key=TOKEN',
    'delete?key=token',
  ])('is answered here: %s', (path) => {
    expect(speakerOf(`/api/admin/setting/${path}`)).toBe('answered here');
  });

  it.each(['get?keys=token,version', 'get?key=version', 'get', 'list?group=0', 'delete?key=old'])(
    'among others, or for others, is forwarded: %s',
    (path) => {
      expect(speakerOf(`/api/admin/setting/${path}`)).toBe('caller');
    },
  );

  it.each([
    'delete?key=old&key=token',
    'get?key=a&keys=token',
    'delete?key=token;x',
    'delete?key=%zz',
    'delete?%6bey=a&key=token',
  ])('that readers could take differently is refused: %s', (path) => {
    expect(() => speakerOf(`/api/admin/setting/${path}`)).toThrow(expect.objectContaining({ status: 400 }));
  });
});

it('administrative routes take no access token', () => {
  const scoped = forwardingRows.filter((row) => row.speaker !== undefined && 'scope' in row);
  expect(scoped.flatMap(({ paths }) => paths).filter((path) => path.startsWith('/api/admin'))).toEqual([]);
});
