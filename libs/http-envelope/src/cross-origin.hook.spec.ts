import Fastify from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { crossOriginHook } from './cross-origin.hook.js';

const app = Fastify();
app.addHook('onRequest', crossOriginHook);
app.get('/ping', () => 'pong');
afterAll(() => app.close());

const names = ['origin', 'methods', 'headers'].map((name) => `access-control-allow-${name}`);
const send = (method: 'GET' | 'OPTIONS', url: string, origin?: string) =>
  app.inject({ method, url, headers: { host: 'keyfold.test:5244', ...(origin === undefined ? {} : { origin }) } });

describe('requests from other origins', () => {
  it.each(['http://other.example', 'null', 'http://keyfold.test'])('from %s are allowed', async (origin) => {
    const answer = await send('GET', '/ping', origin);
    expect(answer.body).toBe('pong');
    expect(names.map((name) => answer.headers[name])).toEqual(['*', undefined, undefined]);
    expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('are allowed on unknown paths', async () => {
    const answer = await send('GET', '/nope', 'http://other.example');
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([404, '*']);
  });

  it.each(['/ping', '/nope'])('may send a preflight request to %s', async (url) => {
    const answer = await send('OPTIONS', url, 'http://other.example');
    expect([answer.statusCode, answer.body, answer.headers['content-type']]).toEqual([204, '', undefined]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-methods']).toMatch(/\bPOST\b.*, \*$/);
    expect(answer.headers['access-control-allow-headers']).toMatch(/^Authorization, Content-Type, .*, \*$/);
    expect(answer.headers['access-control-max-age']).toBe('43200');
  });
});

describe('same-origin requests and requests without an origin', () => {
  it.each([undefined, '', 'http://keyfold.test:5244', 'https://keyfold.test:5244'])(
    'get no CORS header: %s',
    async (origin) => {
      for (const method of ['GET', 'OPTIONS'] as const) {
        const { headers, statusCode } = await send(method, '/ping', origin);
        expect(statusCode).toBe(method === 'GET' ? 200 : 204);
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    },
  );
});
