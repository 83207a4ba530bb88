import { expect, it } from 'vitest';
import { adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { exchangeBytes } from '../support/raw-connection.js';
import { sharedApp } from '../support/shared-app.js';

const EXPORT = '/api/admin/activity/export';
const app = await sharedApp();
const admin = await adminOf(new ApiClient(app.baseUrl));

const raw = (method: string, version: string) =>
  exchangeBytes(
    app.baseUrl,
    `${method} ${EXPORT} HTTP/${version}\r\nHost: x\r\nConnection: close\r\nAuthorization: ${admin.token}\r\n\r\n`,
  );

it('an export is sent in chunks, whose missing end shows a failure', async () => {
  const answer = await raw('GET', '1.1');
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*\r\ntransfer-encoding: chunked\r\n/is);
  expect(answer.endsWith('\r\n0\r\n\r\n')).toBe(true);
});

it('an export over HTTP/1.0, which cannot show a failure, is refused with the remedy', async () => {
  const answer = await raw('GET', '1.0');
  expect(answer).toMatch(/^HTTP\/1\.1 505 /);
  expect(answer).toContain('an export needs HTTP/1.1: for nginx, set proxy_http_version 1.1');
});

it('HEAD reads nothing and answers with the type of the export', async () => {
  const answer = await raw('HEAD', '1.1');
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toMatch(/content-type: application\/x-ndjson/i);
  expect(answer.split('\r\n\r\n')[1]).toBe('');
});

it('a refusal is an envelope, before anything is sent', async () => {
  const answer = await admin.get(`${EXPORT}?limit=1`);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.outcome).toBe('400 unknown field "limit"');
});
