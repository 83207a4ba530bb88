import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { newAppPassword } from '../support/app-passwords.js';
import { newAccessToken } from '../support/access-tokens.js';
import { ADMIN_PASSWORD, adminOf, newMember, signedInAs } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { AnswerSchemas, operationsOf, type ApiDocument } from '../support/api-document.js';
import { ROUTES } from '../support/documented-routes.js';
import { newKeyLine } from '../support/key-line.js';
import { shownSetups } from '../support/setup-code.js';
import { sharedApp } from '../support/shared-app.js';
import { StandaloneProcess } from '../support/standalone-process.js';
import { staticHash } from '../support/static-hash.js';
import { codeNow } from '../support/two-factor.js';

const { Spectral } = spectralCore;
const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const document = (await api.get('/openapi.json')).json as ApiDocument;
const operations = new Map(operationsOf(document));

describe('the document', () => {
  it('is OpenAPI 3.1 with valid JSON Schemas', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'Keyfold', version: expect.stringMatching(/./) });
    expect(() => new AnswerSchemas(document).compileAll()).not.toThrow();
  });

  it('lists every route of the account API once', () => {
    expect([...operations.keys()].toSorted()).toEqual(ROUTES.toSorted());
    const ids = [...operations.values()].map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('meets every rule of spectral for OpenAPI', async () => {
    const spectral = new Spectral();
    // Each service has its own operator, and readers log in first.
    const rules = { 'contact-properties': 'off', 'openapi-tags-alphabetical': 'off' } as const;
    spectral.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'all']], rules });
    const problems = await spectral.run(document as unknown as Record<string, unknown>);
    expect(problems.map(({ code, message, path }) => `${path.join('.')}: ${message} (${code})`)).toEqual([]);
  });

  it.each(ROUTES)('describes %s', (route) => {
    const { operationId, summary, description, responses, ...operation } = operations.get(route)!;
    const { parameters = [], security = [] } = operation;
    expect(operationId).toMatch(/^[a-z]+([A-Z][a-z0-9]*)*$/);
    expect(summary).toMatch(/./);
    expect(description).toMatch(/^.+\n\n(Never refused\.|\| code \| message \| when \|\n)/);
    const examples = Object.values(responses['200']!.content!)[0]!.examples ?? {};
    expect(Object.keys(examples)).toContain(route.endsWith('/ldap') ? 'refusal' : 'success');
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', 'default']));
    for (const { description } of Object.values(responses)) expect(description).toMatch(/./);
    for (const parameter of parameters) {
      expect(parameter).toMatchObject({ in: expect.stringMatching(/^(query|header)$/), schema: expect.any(Object) });
    }
    const isOpen = /^GET \/(ping|api\/public)|^POST \/api\/auth\/login|\/api\/auth\/setup$/.test(route);
    expect(security).toEqual(isOpen ? [] : [{ token: [] }]);
    expect(document.components.securitySchemes['token']).toMatchObject({ type: 'apiKey', name: 'Authorization' });
  });

  it('lists the body fields that the server reads', async () => {
    const routes = [...operations].filter(([, { requestBody }]) => requestBody);
    expect(routes).toHaveLength(22);
    for (const [route, { requestBody }] of routes) {
      const { schema } = requestBody!.content['application/json']!;
      const name = (schema.items ?? schema).$ref!.split('/').at(-1)!;
      const { properties, required } = document.components.schemas[name]!;
      const right = Object.fromEntries((required ?? []).map((field) => [field, 'x']));
      for (const [field, { type }] of Object.entries(properties)) {
        const [kind] = [type].flat();
        expect(['string', 'integer', 'boolean', 'array', undefined], `${name}.${field}`).toContain(kind);
        const wrong = kind === 'string' ? 1 : 'text';
        const body = { ...right, [field]: wrong };
        const answer = await admin.post(route.split(' ')[1]!, schema.items ? [body] : body);
        expect(answer.code, `${route} with ${field}: ${answer.text}`).toBe(400);
      }
    }
  });

  it('is served as a page', async () => {
    const page = await api.get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.text).toContain(`<title>Keyfold ${manifest.version}</title>`);
    const assets = [...page.text.matchAll(/(?:src|href)="(.*?)"/g)].map(
      ([, path]) => new URL(path!, `${app.baseUrl}/docs`).pathname,
    );
    expect(assets).toContain('/docs/swagger-ui-bundle.js');
    for (const asset of assets) expect((await api.get(asset)).status, asset).toBe(200);
    expect((await api.get('/docs/swagger-ui-init.js')).text).toContain('| code | message | when |');
  });

  it.each([
    '/docs-yaml',
    '/docs-json',
    '/docs/package.json',
    '/docs/package%2Ejson',
    '/docs/index.js',
    '/docs/README.md',
  ])('exposes nothing else: %s', async (path) => {
    expect((await api.get(path)).outcome).toBe('404 this path does not exist');
  });
});

describe('every answer', () => {
  /** The codes that each route has answered. */
  const seen = new Map<string, Set<number>>();
  let schemas: AnswerSchemas;

  beforeAll(() => {
    schemas = new AnswerSchemas(document);
  });

  async function check(client: ApiClient, method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const answer = method === 'GET' ? await client.get(path) : await client.post(path, body);
    const route = `${method} ${path.split('?')[0]}`;
    expect(schemas.problemWith(operations.get(route)!, answer), route).toBeUndefined();
    seen.set(route, new Set([...(seen.get(route) ?? []), answer.code]));
    return answer;
  }

  it('to the public routes matches the document', async () => {
    for (const name of ['settings', 'archive_extensions', 'offline_download_tools']) {
      const path = `/api/public/${name}`;
      const { json } = await check(api, 'GET', path);
      // These examples are not recorded.
      expect(json).toMatchObject(exampleOf(path));
    }
    await check(api, 'GET', '/ping');
    await check(api, 'POST', '/api/auth/login/ldap', { username: 'admin' });
    await check(api, 'POST', '/api/auth/login', { username: 'admin', password: ADMIN_PASSWORD });
    for (const password of [staticHash(ADMIN_PASSWORD), 'wrong'])
      await check(api, 'POST', '/api/auth/login/hash', { username: 'admin', password });
    await check(api, 'POST', '/api/auth/login', { username: 'admin', password: 'wrong' });
    await check(api, 'POST', '/api/auth/login', {});
    await check(api, 'GET', '/api/auth/setup');
    await check(api, 'POST', '/api/auth/setup', { code: '7K3M-9QXA-0B2C-D4EF', password: 'new password' });
    await check(api, 'POST', '/api/auth/setup', {});
  });

  it('to a setup matches the document', async () => {
    const fresh = await StandaloneProcess.start({ KEYFOLD_ADMIN_PASSWORD: undefined });
    onTestFinished(() => fresh.dispose());
    const code = (await shownSetups(fresh))[0]!.setupCode;
    await check(new ApiClient(fresh.baseUrl), 'GET', '/api/auth/setup');
    await check(new ApiClient(fresh.baseUrl), 'POST', '/api/auth/setup', { code, password: 'new password' });
  });

  const exampleOf = (path: string) =>
    operations.get(`GET ${path}`)!.responses['200']!.content!['application/json']!.examples!['success']!
      .value as object;

  it('to a member matches the document', async () => {
    const member = await newMember(admin, 'documented');
    await check(member, 'GET', '/api/me');
    const { secret } = (await check(member, 'POST', '/api/auth/2fa/generate')).data<{ secret: string }>();
    await check(member, 'POST', '/api/auth/2fa/verify', { code: 'wrong', secret });
    await check(member, 'POST', '/api/auth/2fa/verify', { code: codeNow(secret), secret });
    for (const password of ['pw-documented', 'wrong'])
      await check(member, 'POST', '/api/auth/2fa/recovery_codes', { password });
    await check(member, 'GET', '/api/me');
    for (const password of ['wrong', 'pw-documented'])
      await check(member, 'POST', '/api/auth/2fa/disable', { password });
    const key = { title: 'laptop', key: newKeyLine().line };
    for (const each of [key, key]) await check(member, 'POST', '/api/me/sshkey/add', each);
    const { content } = (await check(member, 'GET', '/api/me/sshkey/list?page=1&per_page=5')).data<{
      content: { id: number }[];
    }>();
    await check(member, 'GET', '/api/me/sshkey/list?page=x');
    await check(member, 'GET', '/api/me/sshkey/authorized_keys');
    const { id } = content[0]!;
    for (const expires of ['2030-01-31T12:00:00Z', null, '2020-01-31T12:00:00Z', 'soon'])
      await check(member, 'POST', '/api/me/sshkey/update', { id, title: 'old laptop', expires });
    await check(member, 'POST', `/api/me/sshkey/delete?id=${content[0]!.id}`);
    await check(member, 'POST', `/api/me/sshkey/delete?id=${content[0]!.id}`);
    await check(member, 'POST', '/api/me/update', { username: 'documented' });
    await check(member, 'POST', '/api/me/update', {});
    const token = await newAccessToken(member, ['profile:read'], { name: 'backup' });
    for (const name of ['backup', 'other'])
      await check(member, 'POST', '/api/me/tokens', { name, scopes: token.scopes });
    for (const id of [token.id, token.id]) await check(member, 'POST', '/api/me/tokens/revoke', { id });
    const phone = await newAppPassword(member, { name: 'phone' });
    for (const name of ['phone', 'other'])
      await check(member, 'POST', '/api/me/app_passwords', { name, protocol: 'webdav' });
    for (const id of [phone.id, phone.id]) await check(member, 'POST', '/api/me/app_passwords/revoke', { id });
    for (const path of ['/api/me/sessions', '/api/me/tokens', '/api/me/app_passwords'])
      await check(member, 'GET', path);
    const { next_cursor } = (await check(member, 'GET', '/api/me/activity?limit=2')).data<{ next_cursor: string }>();
    await check(member, 'GET', `/api/me/activity?limit=2&cursor=${next_cursor}`);
    for (const others of [true, false]) await check(member, 'POST', '/api/me/sessions/evict', { others });
    for (const path of ['/api/auth/logout', '/api/auth/logout', '/api/me', '/api/me/sessions', '/api/me/tokens'])
      await check(member, 'GET', path);
    await check(member, 'GET', '/api/me/app_passwords');
    await check(member, 'POST', '/api/auth/2fa/generate');
    for (const path of ['/api/me/activity', '/api/me/sshkey/authorized_keys']) await check(member, 'GET', path);
    const again = await signedInAs(api, 'documented');
    for (const client of [again, again]) await check(client, 'POST', '/api/me/revoke-everything');
  });

  it('to an administrator matches the document', async () => {
    const member = await newMember(admin, 'administered');
    const key = newKeyLine();
    await member.post('/api/me/sshkey/add', { title: 'laptop', key: key.line, expires: '2030-01-31T12:00:00Z' });
    for (const fingerprint of [encodeURIComponent(key.fingerprint), 'x'])
      await check(admin, 'GET', `/api/admin/sshkey/find?fingerprint=${fingerprint}`);
    const token = await newAccessToken(member, ['profile:read']);
    const phone = await newAppPassword(member);
    const users = '/api/admin/user';
    const { content } = (await check(admin, 'GET', `${users}/list`)).data<{ content: { id: number }[] }>();
    const { id } = content.at(-1)!;
    await check(admin, 'GET', `${users}/list?page=x`);
    for (const which of [id, 'x']) await check(admin, 'GET', `${users}/get?id=${which}`);
    for (const which of [id, 'x']) await check(admin, 'GET', `${users}/sshkey/list?uid=${which}`);
    const sessions = '/api/admin/session';
    for (const page of [1, 'x']) await check(admin, 'GET', `${sessions}/list?page=${page}`);
    for (const user_id of [id, 0]) await check(admin, 'POST', `${sessions}/evict`, { user_id });
    for (const page of [1, 'x']) await check(admin, 'GET', `/api/admin/token/list?page=${page}`);
    for (const page of [1, 'x']) await check(admin, 'GET', `/api/admin/app_password/list?page=${page}`);
    for (const { id } of [phone, phone]) await check(admin, 'POST', '/api/admin/app_password/revoke', { id });
    for (const each of [token, token]) await check(admin, 'POST', '/api/admin/token/revoke', { id: each.id });
    for (const which of [1, 'x']) await check(admin, 'POST', `${users}/sshkey/delete?id=${which}`);
    for (const which of [id, 'x', 999_999]) await check(admin, 'GET', `${users}/activity?id=${which}`);
    for (const path of ['activity', 'activity/export'])
      for (const actor of ['1', 'x']) await check(admin, 'GET', `/api/admin/${path}?actor=${actor}`);
    for (const client of [admin, api]) await check(client, 'GET', '/api/admin/overview');
    for (const size of ['100', '101']) await check(admin, 'GET', `/api/admin/parked?per_page=${size}`);
    for (const kind of ['event', 'message']) await check(admin, 'POST', '/api/admin/parked/retry', { kind, id: '3' });
    for (const which of [id, 'x'])
      for (const change of ['cancel_2fa', 'revoke-everything'])
        await check(admin, 'POST', `${users}/${change}?id=${which}`);
    for (const name of ['administered', '']) await check(admin, 'POST', `${users}/del_cache?username=${name}`);
    for (const role of [0, 2]) await check(admin, 'POST', `${users}/create`, { username: 'made', role });
    for (const role of [0, 2]) await check(admin, 'POST', `${users}/update`, { id, username: 'administered', role });
    for (const which of [id, 1]) await check(admin, 'POST', `${users}/delete?id=${which}`);
  });

  it('to an administrator of settings matches the document', async () => {
    const settings = '/api/admin/setting';
    for (const which of ['', '?group=1', '?groups=1,2', '?group=99', '?group=x'])
      await check(admin, 'GET', `${settings}/list${which}`);
    for (const which of ['key=token', 'keys=token,site_title', 'key=zzz'])
      await check(admin, 'GET', `${settings}/get?${which}`);
    for (const value of ['v', '']) {
      const key = value === '' ? '' : 'old_setting';
      await check(admin, 'POST', `${settings}/save`, [{ key, value }]);
    }
    for (const key of ['old_setting', 'token']) await check(admin, 'POST', `${settings}/delete?key=${key}`);
    for (const group of ['1', '99', 'x']) await check(admin, 'POST', `${settings}/default?group=${group}`);
    await check(admin, 'POST', `${settings}/reset_token`);
    await check(api, 'POST', `${settings}/reset_token`);
  });

  it('includes a success and a refusal for every route that can do both', () => {
    for (const route of ROUTES) {
      const codes = [...(seen.get(route) ?? [])];
      if (!route.endsWith('/ldap')) expect(codes, route).toContain(200);
      if (!/ \/(ping|api\/public)|GET \/api\/auth\/setup/.test(route))
        expect(Math.max(...codes), route).toBeGreaterThan(200);
    }
  });

  it('before any handler matches the document', async () => {
    const login = operations.get('POST /api/auth/login')!;
    const tooLarge = await api.send({ method: 'POST', path: '/api/auth/login', body: ' '.repeat(140_000) });
    expect(tooLarge.status).toBe(413);
    expect(schemas.problemWith(login, tooLarge)).toBeUndefined();
    const wrongMethod = await api.send({ method: 'DELETE', path: '/api/auth/login' });
    expect(schemas.problemWith(login, wrongMethod)).toBeUndefined();
  });
});
