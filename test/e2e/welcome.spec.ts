import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, type Answer } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';

let app: StandaloneProcess;
let api: ApiClient;

beforeAll(async () => {
  app = await StandaloneProcess.start();
  api = new ApiClient(app.baseUrl);
});

afterAll(() => app.dispose());

/** As Firefox and Chromium ask for an address that somebody opens. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ask = (accept: string | undefined, path = '/', method = 'GET', headers: Record<string, string> = {}) =>
  api.send({ method, path, headers: { ...headers, ...(accept !== undefined && { accept }) } });

/** An answer but for what differs between any two requests. */
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

  it('gets a page that runs nothing, loads nothing and is shown in no frame of others', async () => {
    const { headers, text } = await ask(BROWSER);
    expect(text).not.toMatch(/<script|<img|<link|\son\w+=/);
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    });
  });

  it('gets a page that no cache keeps and that depends on Accept', async () => {
    const { headers } = await ask(BROWSER);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept' });
  });

  it('finds only links that lead somewhere', async () => {
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
    ['a client that does not say what it takes', undefined, {}],
    ['a front end from elsewhere', 'application/json, text/plain, */*', elsewhere],
  ])('finds no path there: %s', async (_, accept, headers) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const root = withoutTheRequest(await ask(accept, '/', method, headers));
      expect(root.status, method).toBe(404);
      expect(root, method).toEqual(withoutTheRequest(await ask(accept, '/nowhere', method, headers)));
    }
  });

  it.each(['POST', 'DELETE'])('gets no page for %s, whatever it takes', async (method) => {
    expect(withoutTheRequest(await ask(BROWSER, '/', method))).toEqual(
      withoutTheRequest(await ask(BROWSER, '/nowhere', method)),
    );
  });

  it.each(['//', '/%2F', '/index.html'])('a browser finds no page at %s either', async (path) => {
    const answer = await ask(BROWSER, path);
    expect([answer.status, answer.outcome]).toEqual([404, '404 this path does not exist']);
    expect(answer.headers['x-frame-options']).toBeUndefined();
  });

  it('passes a preflight as on every path', async () => {
    expect((await ask('*/*', '/', 'OPTIONS', elsewhere)).status).toBe(204);
  });
});
