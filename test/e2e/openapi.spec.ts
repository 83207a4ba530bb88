import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, adminOf, newMember } from '../support/accounts.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { AnswerSchemas, operationsOf, type ApiDocument } from '../support/api-document.js';
import { newKeyLine } from '../support/key-line.js';
import { sharedApp } from '../support/shared-app.js';
import { staticHash } from '../support/static-hash.js';
import { codeNow } from '../support/two-factor.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const document = (await api.get('/openapi.json')).json as ApiDocument;
const operations = new Map(operationsOf(document));

const ROUTES = [
  'GET /ping',
  'GET /api/public/settings',
  'GET /api/public/archive_extensions',
  'GET /api/public/offline_download_tools',
  'POST /api/auth/login',
  'POST /api/auth/login/hash',
  'POST /api/auth/login/ldap',
  'GET /api/auth/logout',
  'POST /api/auth/2fa/generate',
  'POST /api/auth/2fa/verify',
  'POST /api/auth/2fa/disable',
  'POST /api/auth/2fa/recovery_codes',
  'GET /api/me',
  'POST /api/me/update',
  'GET /api/me/sessions',
  'POST /api/me/sessions/evict',
  'GET /api/me/sshkey/list',
  'POST /api/me/sshkey/add',
  'POST /api/me/sshkey/delete',
  'GET /api/admin/session/list',
  'POST /api/admin/session/evict',
  'GET /api/admin/user/list',
  'GET /api/admin/user/get',
  'POST /api/admin/user/create',
  'POST /api/admin/user/update',
  'POST /api/admin/user/delete',
  'POST /api/admin/user/cancel_2fa',
  'POST /api/admin/user/del_cache',
  'GET /api/admin/user/sshkey/list',
  'POST /api/admin/user/sshkey/delete',
];

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

  it.each(ROUTES)('describes %s', (route) => {
    const { summary, responses, parameters = [], security = [] } = operations.get(route)!;
    expect(summary).toMatch(/./);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', 'default']));
    for (const { description } of Object.values(responses)) expect(description).toMatch(/./);
    for (const parameter of parameters) expect(parameter).toMatchObject({ in: 'query', schema: expect.any(Object) });
    const isOpen = /^GET \/(ping|api\/public)|^POST \/api\/auth\/login/.test(route);
    expect(security).toEqual(isOpen ? [] : [{ token: [] }]);
    expect(document.components.securitySchemes['token']).toMatchObject({ type: 'apiKey', name: 'Authorization' });
  });

  it('lists the body fields that the server reads', async () => {
    const routes = [...operations].filter(([, { requestBody }]) => requestBody);
    expect(routes).toHaveLength(12);
    for (const [route, { requestBody }] of routes) {
      const name = requestBody!.content['application/json']!.schema.$ref.split('/').at(-1)!;
      const { properties, required } = document.components.schemas[name]!;
      const right = Object.fromEntries((required ?? []).map((field) => [field, 'x']));
      for (const [field, { type }] of Object.entries(properties)) {
        expect(['string', 'integer', 'boolean'], `${name}.${field}`).toContain(type);
        const wrong = type === 'string' ? 1 : 'text';
        const answer = await admin.post(route.split(' ')[1]!, { ...right, [field]: wrong });
        expect(answer.code, `${route} with ${field}: ${answer.text}`).toBe(400);
      }
    }
  });

  it('is served as a page', async () => {
    const page = await api.get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.text).toContain('swagger-ui');
    const assets = [...page.text.matchAll(/(?:src|href)="(.*?)"/g)].map(
      ([, path]) => new URL(path!, `${app.baseUrl}/docs`).pathname,
    );
    expect(assets).toContain('/docs/swagger-ui-bundle.js');
    for (const asset of assets) expect((await api.get(asset)).status, asset).toBe(200);
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
    const code = path === '/ping' ? 200 : answer.code;
    seen.set(route, new Set([...(seen.get(route) ?? []), code]));
    return answer;
  }

  it('to the public routes matches the document', async () => {
    for (const path of ['/ping', '/api/public/settings', '/api/public/archive_extensions'])
      await check(api, 'GET', path);
    await check(api, 'GET', '/api/public/offline_download_tools');
    await check(api, 'POST', '/api/auth/login/ldap', { username: 'admin' });
    await check(api, 'POST', '/api/auth/login', { username: 'admin', password: ADMIN_PASSWORD });
    for (const password of [staticHash(ADMIN_PASSWORD), 'wrong'])
      await check(api, 'POST', '/api/auth/login/hash', { username: 'admin', password });
    await check(api, 'POST', '/api/auth/login', { username: 'admin', password: 'wrong' });
    await check(api, 'POST', '/api/auth/login', {});
  });

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
    await check(member, 'POST', '/api/me/sshkey/add', key);
    await check(member, 'POST', '/api/me/sshkey/add', key);
    const { content } = (await check(member, 'GET', '/api/me/sshkey/list?page=1&per_page=5')).data<{
      content: { id: number }[];
    }>();
    await check(member, 'GET', '/api/me/sshkey/list?page=x');
    await check(member, 'POST', `/api/me/sshkey/delete?id=${content[0]!.id}`);
    await check(member, 'POST', `/api/me/sshkey/delete?id=${content[0]!.id}`);
    await check(member, 'POST', '/api/me/update', { username: 'documented' });
    await check(member, 'POST', '/api/me/update', {});
    await check(member, 'GET', '/api/me/sessions');
    for (const others of [true, false]) await check(member, 'POST', '/api/me/sessions/evict', { others });
    await check(member, 'GET', '/api/auth/logout');
    await check(member, 'GET', '/api/auth/logout');
    await check(member, 'POST', '/api/auth/2fa/generate');
    for (const path of ['/api/me', '/api/me/sessions']) await check(member, 'GET', path);
  });

  it('to an administrator matches the document', async () => {
    const member = await newMember(admin, 'administered');
    await member.post('/api/me/sshkey/add', { title: 'laptop', key: newKeyLine().line });
    const users = '/api/admin/user';
    const { content } = (await check(admin, 'GET', `${users}/list`)).data<{ content: { id: number }[] }>();
    const { id } = content.at(-1)!;
    await check(admin, 'GET', `${users}/list?page=x`);
    for (const which of [id, 'x']) await check(admin, 'GET', `${users}/get?id=${which}`);
    for (const which of [id, 'x']) await check(admin, 'GET', `${users}/sshkey/list?uid=${which}`);
    const sessions = '/api/admin/session';
    for (const page of [1, 'x']) await check(admin, 'GET', `${sessions}/list?page=${page}`);
    for (const user_id of [id, 0]) await check(admin, 'POST', `${sessions}/evict`, { user_id });
    for (const which of [1, 'x']) await check(admin, 'POST', `${users}/sshkey/delete?id=${which}`);
    for (const which of [id, 'x']) await check(admin, 'POST', `${users}/cancel_2fa?id=${which}`);
    for (const name of ['administered', '']) await check(admin, 'POST', `${users}/del_cache?username=${name}`);
    for (const role of [0, 2]) await check(admin, 'POST', `${users}/create`, { username: 'made', role });
    for (const role of [0, 2]) await check(admin, 'POST', `${users}/update`, { id, username: 'administered', role });
    for (const which of [id, 1]) await check(admin, 'POST', `${users}/delete?id=${which}`);
  });

  it('includes a success and a refusal for every route that can do both', () => {
    for (const route of ROUTES) {
      const codes = [...(seen.get(route) ?? [])];
      if (!route.endsWith('/ldap')) expect(codes, route).toContain(200);
      if (!/ \/(ping|api\/public)/.test(route)) expect(Math.max(...codes), route).toBeGreaterThan(200);
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
