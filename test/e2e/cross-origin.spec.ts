import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, type Answer, type Call } from '../support/api-client.js';
import { StandaloneProcess } from '../support/standalone-process.js';

let app: StandaloneProcess;
const send = (call: Call) => new ApiClient(app.baseUrl).send(call);
const accessHeaders = ({ headers }: Answer) => Object.keys(headers).filter((name) => name.startsWith('access-control'));

beforeAll(async () => {
  app = await StandaloneProcess.start();
});

afterAll(() => app.dispose());

const origin = 'https://files.example';

describe('a page of another origin', () => {
  it('may send the token and JSON to every path', async () => {
    const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    for (const path of ['/api/me/update', '/api/nowhere', '/ping']) {
      const answer = await send({ method: 'OPTIONS', path, headers: { origin, ...asks } });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      const allowed = String(answer.headers['access-control-allow-headers']).toLowerCase().split(', ');
      // Browsers do not let the star cover this header.
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', '*']));
      expect(answer.headers['access-control-allow-methods']).toContain('POST');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('reads answers, refusals and faults alike, and their headers', async () => {
    for (const path of ['/api/me', '/api/public/settings', '/api/nowhere', '/ping', '/api/%zz']) {
      const { headers } = await send({ path, headers: { origin } });
      expect(headers['access-control-allow-origin'], path).toBe('*');
      expect(headers['access-control-expose-headers'], path).toContain('Retry-After');
    }
  });
});

describe('a page of the same origin', () => {
  it('gets no header about origins', async () => {
    const sameOrigin = { origin: app.baseUrl };
    expect(accessHeaders(await send({ path: '/api/me', headers: sameOrigin }))).toEqual([]);
    expect(accessHeaders(await send({ path: '/api/me' }))).toEqual([]);
    expect(accessHeaders(await send({ method: 'OPTIONS', path: '/api/me', headers: sameOrigin }))).toEqual([]);
  });
});
