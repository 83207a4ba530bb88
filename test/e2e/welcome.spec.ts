import { describe, expect, it } from 'vitest';
import { ApiClient, type Answer } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);

/** The Accept header of Firefox and Chromium for an address typed by a user. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ask = (accept: string | undefined, path = '/', method = 'GET', headers: Record<string, string> = {}) =>
  api.send({ method, path, headers: { ...headers, ...(accept !== undefined && { accept }) } });

/** Returns an answer without what differs between any two requests. */
function withoutTheRequest({ status, text, headers }: Answer) {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, text, headers: rest };
}

describe('a browser at the root', () => {
  it.each(['/', '/?from=bookmark'])('gets a page with the version at %s', async (path) => {
    const { status, headers, text } = await ask(BROWSER, path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain((await api.get('/api/public/settings')).data<{ version: string }>().version);
    expect(text).toContain('npx keyfold account set-password admin');
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
