import { describe, expect, it } from 'vitest';
import { newAccessToken } from '../support/access-tokens.js';
import { adminOf } from '../support/accounts.js';
import { type Answer, ApiClient } from '../support/api-client.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const withoutConsole = await sharedApp({ KEYFOLD_CONSOLE: 'off' });
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

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

  it.each(['http://x/api/admin/user/list', 'http://x/api%2Fadmin/user/list', 'HTTPS://x/api/admin/user/list'])(
    'is not reached with an absolute address, which a proxy may read differently: %s',
    async (target) => {
      const request = `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${admin.token}\r\nConnection: close\r\n\r\n`;
      expect(await exchangeBytes(app.baseUrl, request)).toMatch(
        /^HTTP\/1\.1 400 [^]*"the request target must be a path"/,
      );
    },
  );
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

/** The Accept header of Firefox and Chromium for an address typed by a user. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const askOf =
  (server: ApiClient) =>
  (accept: string | undefined, path = '/', method = 'GET', headers: Record<string, string> = {}) =>
    server.send({ method, path, headers: { ...headers, ...(accept !== undefined && { accept }) } });
const ask = askOf(api);

/** Returns an answer without what differs between any two requests. */
function withoutTheRequest({ status, text, headers }: Answer) {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, text, headers: rest };
}

describe('a browser at the root, with the console off', () => {
  const ask = askOf(new ApiClient(withoutConsole.baseUrl));

  it.each(['/', '/?from=bookmark'])('gets a page with the version at %s', async (path) => {
    const { status, headers, text } = await ask(BROWSER, path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain((await api.get('/api/public/settings')).data<{ version: string }>().version);
    expect(text).toContain('keyfold account set-password admin');
  });

  it('gets a page that runs no script, loads nothing and allows no framing by others', async () => {
    const { headers, text } = await ask(BROWSER);
    expect(text).not.toMatch(/<script|<img|<link|\son\w+=/);
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    });
  });

  it('gets a page that is not cached and varies by Accept', async () => {
    const { headers } = await ask(BROWSER);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept' });
  });

  it('finds only working links', async () => {
    const { text } = await ask(BROWSER);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links).toEqual(['/docs', '/docs/events']);
    for (const link of links) expect((await ask(BROWSER, link)).status, link).toBe(200);
  });

  it('gets the headers of the page for HEAD, and no body', async () => {
    const page = withoutTheRequest(await ask(BROWSER));
    expect(withoutTheRequest(await ask(BROWSER, '/', 'HEAD'))).toEqual({ ...page, text: '' });
  });
});

describe('a program at the root', () => {
  const elsewhere = { origin: 'http://front.example' };

  it.each([
    ['curl', '*/*', {}],
    ['a client without an Accept header', undefined, {}],
    ['a front end of another origin', 'application/json, text/plain, */*', elsewhere],
  ])('finds no such path: %s', async (_, accept, headers) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const root = withoutTheRequest(await ask(accept, '/', method, headers));
      expect(root.status, method).toBe(404);
      expect(root, method).toEqual(withoutTheRequest(await ask(accept, '/nowhere', method, headers)));
    }
  });

  it.each(['POST', 'DELETE'])('gets no page for %s, whatever it accepts', async (method) => {
    expect(withoutTheRequest(await ask(BROWSER, '/', method))).toEqual(
      withoutTheRequest(await ask(BROWSER, '/nowhere', method)),
    );
  });

  it.each(['//', '/%2F', '/index.html'])('also gets no page at %s as a browser', async (path) => {
    const answer = await ask(BROWSER, path);
    expect([answer.status, answer.outcome]).toEqual([404, '404 this path does not exist']);
    expect(answer.headers['x-frame-options']).toBeUndefined();
  });

  it('passes a preflight as on every path', async () => {
    expect((await ask('*/*', '/', 'OPTIONS', elsewhere)).status).toBe(204);
  });
});

it('WebAuthn takes no access tokens where a caller is needed', async () => {
  const { client } = await newAccessToken(admin, ['profile:read']);
  for (const [method, route] of [
    ['GET', 'webauthn_begin_registration'],
    ['POST', 'webauthn_finish_registration'],
    ['GET', 'getcredentials'],
    ['POST', 'delete_authn'],
  ] as const) {
    const answer = await client.send({
      method,
      path: `/api/authn/${route}`,
      body: method === 'POST' ? { id: 'x' } : undefined,
    });
    expect(answer.outcome).toBe('403 access tokens are not accepted here, log in instead');
  }
});
