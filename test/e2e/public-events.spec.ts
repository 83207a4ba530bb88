import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { publicEventTypes, schemaPathOf } from '@keyfold/messaging/events';
import { describe, expect, it } from 'vitest';
import { readReleases } from '../../libs/messaging/testing/schema-releases.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';

const releases = readReleases();

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);

const JSON_TYPE = 'application/json; charset=utf-8';
const SCHEMA_TYPE = 'application/schema+json; charset=utf-8';

describe('schemas', () => {
  it.each(releases)('$type $version is served as it was released', async ({ type, version, schema }) => {
    const answer = await api.get(`/schemas/${type}/${version}.json`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, SCHEMA_TYPE]);
    expect(answer.json).toEqual(schema);
  });

  it.each([
    '/schemas/ssh-key.added/9.9.9.json',
    '/schemas/ssh-key.added/1.0.0',
    '/schemas/moon.landed/1.0.0.json',
    '/schemas/__proto__/constructor',
  ])('that do not exist are not found: %s', async (path) => {
    const answer = await api.get(path);
    expect([answer.status, answer.outcome]).toEqual([404, '404 this schema does not exist']);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('give no access to other documents, by an escaped slash or by two dots', async () => {
    const answer = await api.get('/schemas/..%2fdocs/events');
    expect([answer.status, answer.outcome]).toEqual([404, '404 this path does not exist']);
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

it('the AsyncAPI document is the one in the repository', async () => {
  const answer = await api.get('/asyncapi.json');
  expect([answer.status, answer.headers['content-type']]).toEqual([200, JSON_TYPE]);
  expect(answer.json).toEqual(
    JSON.parse(readFileSync(resolve(import.meta.dirname, '../../docs/reference/asyncapi.json'), 'utf8')),
  );
});

describe('the page about events', () => {
  it('describes every type without a script', async () => {
    const { status, headers, text } = await api.get('/docs/events');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).not.toContain('<script');
    for (const type of publicEventTypes) {
      expect(text).toContain(`<h2 id="${type}">`);
      expect(text).toContain(`href="${schemaPathOf(type)}"`);
    }
  });

  it('contains no broken links', async () => {
    const { text } = await api.get('/docs/events');
    const links = new Set([...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? ''));
    expect(links.size).toBeGreaterThan(2 * publicEventTypes.length);
    for (const link of links) {
      if (link.startsWith('#')) expect(text).toContain(`id="${link.slice(1)}"`);
      else expect((await api.get(link)).status, link).toBe(200);
    }
  });
});

describe.each(['/docs/events', '/asyncapi.json', '/schemas/ssh-key.added/1.0.0.json'])('%s', (path) => {
  it('is cached publicly and revalidated each time', async () => {
    const first = await api.get(path);
    expect(first.headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'Origin' });
    const etag = String(first.headers['etag']);
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    const again = await api.send({ path, headers: { 'if-none-match': `"other", W/${etag}` } });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
    expect((await api.send({ path, headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });
});

it.each(['/docs/events', '/asyncapi.json'])('%s allows GET only', async (path) => {
  const answer = await api.post(path, {});
  expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
});
