import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount, newAddress, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { AnswerSchemas, operationsOf, refusalsOf, type ApiDocument } from '../support/api-document.js';
import { callExample } from '../support/documented-operations.js';
import { keyLine } from '../support/key-line.js';
import { addKey, SFTP, servedFileServers } from '../support/openssh/file-servers.js';
import { loginToken } from '../support/openssh/server-token.js';

const { line, fingerprint } = keyLine('laptop');
const { app, admin, servers: lookUps } = await servedFileServers();
const token = await loginToken(admin);
const logins = lookUps.as(`Bearer ${token}`);
const stranger = new ApiClient(lookUps.baseUrl);
const webServer = stranger.with({ 'x-keyfold-token': token });
const clients: Record<string, ApiClient> = { 'POST /logins': logins, 'GET /web-login': webServer };
const document = (await stranger.get('/openapi.json')).json as ApiDocument;
const operations = new Map(operationsOf(document));

beforeAll(async () => {
  await createAccount(admin, 'ann', { permission: SFTP });
  await addKey(await signedInAs(new ApiClient(app.baseUrl), 'ann'), 'laptop', line);
});

it('the document lists the routes for other servers than SFTPGo, whose hooks have its own format', () => {
  expect([...operations.keys()]).toEqual([
    'GET /authorized_keys',
    'GET /ssh-keys',
    'GET /ssh-key-owners',
    'POST /ssh-key-uses',
    'POST /logins',
    'GET /web-login',
  ]);
});

it('the document meets every rule of spectral for OpenAPI', async () => {
  const spectral = new spectralCore.Spectral();
  // Each service has its own operator.
  spectral.setRuleset({
    extends: [[rulesets.oas as RulesetDefinition, 'all']],
    rules: { 'contact-properties': 'off' },
  });
  const problems = await spectral.run(document as unknown as Record<string, unknown>);
  expect(problems.map(({ code, message, path }) => `${path.join('.')}: ${message} (${code})`)).toEqual([]);
});

it('nothing else is public, and there is no page', async () => {
  for (const path of ['/docs', '/docs-json', '/docs/swagger-ui.css'])
    expect((await stranger.get(path)).status).toBe(404);
});

describe('every answer', () => {
  const schemas = new AnswerSchemas(document);
  const ann = new URLSearchParams({ username: 'ann', fingerprint }).toString();
  const report = { id: randomUUID(), username: 'ann', fingerprint, time: new Date().toISOString() };
  const login = { protocol: 'sftp', username: 'ann', address: newAddress() };

  it.each<[string, ApiClient, string, object?]>([
    ['GET /authorized_keys', lookUps, `/authorized_keys?${ann}`],
    ['GET /authorized_keys', lookUps, '/authorized_keys'],
    ['GET /ssh-keys', lookUps, `/ssh-keys?${ann}`],
    ['GET /ssh-keys', lookUps, '/ssh-keys?username=nobody'],
    ['GET /ssh-keys', logins, '/ssh-keys?username=ann'],
    ['GET /ssh-key-owners', lookUps, `/ssh-key-owners?${new URLSearchParams({ fingerprint }).toString()}`],
    ['GET /ssh-key-owners', lookUps, '/ssh-key-owners?fingerprint=x'],
    ['POST /ssh-key-uses', lookUps, '/ssh-key-uses', report],
    ['POST /ssh-key-uses', lookUps, '/ssh-key-uses', {}],
    ['POST /logins', logins, '/logins', { ...login, password: 'pw-ann' }],
    ['POST /logins', logins, '/logins', { ...login, password: 'wrong' }],
    ['POST /logins', logins, '/logins', { protocol: 'x' }],
    ['POST /logins', logins, '/logins', { ...login, password: 'x'.repeat(70_000) }],
    ['GET /web-login', webServer, '/web-login'],
    ['GET /web-login', webServer, '/web-login?group=staff'],
    ['GET /web-login', lookUps, '/web-login'],
  ])('of %s matches the document (%#)', async (route, client, path, body) => {
    const answer = await (body ? client.post(path, body) : client.get(path));
    if (answer.status === 204) return expect(answer.text).toBe('');
    expect(schemas.problemWith(operations.get(route)!, answer)).toBeUndefined();
  });

  it.each([...operations])(
    'of %s to the documented example is a success or a documented refusal',
    async (route, operation) => {
      const answer = await callExample(clients[route] ?? lookUps, route, operation);
      if (answer.status >= 300)
        expect(
          refusalsOf(operation).some((refusal) => refusal.test(answer.outcome)),
          answer.outcome,
        ).toBe(true);
      expect((await callExample(stranger, route, operation)).status).toBe(401);
    },
  );
});
