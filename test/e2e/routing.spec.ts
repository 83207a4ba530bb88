import { describe, expect, it } from 'vitest';
import { adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

describe('HEAD', () => {
  it.each(['/ping', '/api/public/settings', '/api/public/archive_extensions', '/api/me', '/api/admin/user/list'])(
    'of %s has the headers of GET and no body',
    async (path) => {
      const head = await admin.send({ method: 'HEAD', path });
      const { status, headers } = await admin.get(path);
      expect([head.status, head.text]).toEqual([status, '']);
      expect(head.headers['content-type']).toBe(headers['content-type']);
      expect(head.headers['etag']).toBe(headers['etag']);
    },
  );

  it.each([
    ['/api/nowhere', 404],
    ['/api/auth/login', 405],
  ])('of %s is %i without a body', async (path, status) => {
    const head = await admin.send({ method: 'HEAD', path });
    expect([head.status, head.text]).toEqual([status, '']);
  });

  it('of a refusal has no body', async () => {
    const head = await admin.as('nonsense').send({ method: 'HEAD', path: '/api/me' });
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

describe('a trailing slash', () => {
  it('changes nothing', async () => {
    expect((await admin.get('/api/me/')).data()).toEqual((await admin.get('/api/me')).data());
    expect((await admin.get('/api/admin/user/get/?id=1')).data()).toMatchObject({ username: 'admin' });
    expect((await admin.post('/api/admin/user/create/', { username: 'slashed', password: 'x' })).code).toBe(200);
    expect((await admin.get('/ping/')).text).toBe('pong');
  });
});

describe('an escaped slash', () => {
  it('separates path segments', async () => {
    expect((await admin.get('/api%2Fme')).data()).toMatchObject({ username: 'admin' });
    expect((await admin.as('nonsense').get('/api%2fme%2Fsshkey/list')).outcome).toBe('401 token is invalidated');
    expect((await admin.get('/api%2Fnowhere')).status).toBe(404);
  });
});

describe('the administration', () => {
  it.each([
    '/api%2Fadmin/user/list',
    '/api%2fadmin%2Fuser/list/',
    '/api/admin%2Fuser/list',
    '/%61pi/admin/user/list',
    '/api/admi%6e/user/list',
    '/ap%69/admin/user/list#%zz',
    'http://x/api%2Fadmin/user/list',
    '/API/admin/user/list',
    '//api/admin/user/list',
    '/api//admin/user/list',
    '/./api/admin/user/list',
    '/api/me/../admin/user/list',
    '/api\\admin/user/list',
    '/api;/admin/user/list',
  ])('does not reach a path that a proxy blocks: %s', async (path) => {
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${admin.token}\r\nConnection: close\r\n\r\n`;
    const answer = await exchangeBytes(app.baseUrl, request);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('this path does not exist');
    expect((await admin.get('/api/admin/user/list')).code).toBe(200);
  });
});

describe('a path with pattern characters', () => {
  it.each(['/:a(', '/api/:a(', '/:a([)', '/:a((x+x+)+y)', '/*x', '/api/admin/user/:x', '/schemas/:type/:file(.*)'])(
    'does not exist: %s',
    async (path) => {
      const answer = await admin.post(path, {});
      expect([answer.status, answer.outcome]).toEqual([404, '404 this path does not exist']);
    },
  );
});

describe('the icon', () => {
  it('is served at the configured path', async () => {
    const { status, headers, text } = await admin.get('/favicon.ico');
    const icon = 'https://res.oplist.org/logo/logo.svg';
    expect([status, headers['location'], text]).toEqual([302, icon, `<a href="${icon}">Found</a>.\n\n`]);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  });
});

describe('an unknown route', () => {
  it.each([
    '/',
    '/api',
    '/api/',
    '/api/nowhere',
    '/API/me',
    '/api/Me',
    '/api//me',
    '/api/me/x',
    '/%00',
    '/%ff',
    '/api/%C3%28?a=%zz',
    '/api%252Fme',
    '/index.html',
  ])('%s gets 404 with an envelope', async (path) => {
    const answer = await admin.get(path);
    expect([answer.status, answer.code]).toEqual([404, 404]);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each([
    ['DELETE', '/api/me', 'GET, HEAD'],
    ['GET', '/api/auth/login', 'POST'],
    ['POST', '/api/auth/logout', 'GET, HEAD'],
    ['PUT', '/api/me/sshkey/add/', 'POST'],
  ])('%s %s gets 405 with the allowed methods', async (method, path, allow) => {
    const answer = await admin.send({ method, path });
    expect([answer.status, answer.code, answer.headers['allow']]).toEqual([405, 405, allow]);
  });
});
