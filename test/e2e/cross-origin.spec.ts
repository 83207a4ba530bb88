import { describe, expect, it } from 'vitest';
import { ApiClient, type Answer, type Call } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const send = (call: Call) => new ApiClient(app.baseUrl).send(call);
const accessHeaders = ({ headers }: Answer) => Object.keys(headers).filter((name) => name.startsWith('access-control'));

const origin = 'https://files.example';

describe('a page of another origin', () => {
  it('may send the token and JSON to every path', async () => {
    const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    for (const path of ['/api/me/update', '/api/nowhere', '/ping']) {
      const answer = await send({ method: 'OPTIONS', path, headers: { origin, ...asks } });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      const allowed = String(answer.headers['access-control-allow-headers']).toLowerCase().split(', ');
      // The wildcard does not cover this header in browsers.
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', '*']));
      expect(answer.headers['access-control-allow-methods']).toContain('POST');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('reads answers, refusals and faults, with their headers', async () => {
    for (const path of ['/api/me', '/api/public/settings', '/api/nowhere', '/ping', '/api/%zz']) {
      const { headers } = await send({ path, headers: { origin } });
      expect(headers['access-control-allow-origin'], path).toBe('*');
      expect(headers['access-control-expose-headers'], path).toContain('Retry-After');
    }
  });
});

describe('a page of the same origin', () => {
  it('gets no CORS headers', async () => {
    const sameOrigin = { origin: app.baseUrl };
    expect(accessHeaders(await send({ path: '/api/me', headers: sameOrigin }))).toEqual([]);
    expect(accessHeaders(await send({ path: '/api/me' }))).toEqual([]);
    expect(accessHeaders(await send({ method: 'OPTIONS', path: '/api/me', headers: sameOrigin }))).toEqual([]);
  });
});
