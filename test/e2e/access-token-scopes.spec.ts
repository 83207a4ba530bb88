import { accessTokenScopes, grantsScope, type AccessTokenScope } from '@keyfold/domain';
import { beforeAll, describe, expect, it } from 'vitest';
import { newAccessToken } from '../support/access-tokens.js';
import { adminOf, createAccount, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { refusalsOf, type Operation } from '../support/api-document.js';
import { callExample, servedOperations } from '../support/documented-operations.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
const { operations, schemas } = await servedOperations(api);

/** The scope that each route takes. A guarded route that is missing here takes no access tokens. */
const SCOPES: Readonly<Record<string, AccessTokenScope>> = {
  'GET /api/me': 'profile:read',
  'GET /api/me/activity': 'profile:read',
  'GET /api/me/sshkey/list': 'keys:manage',
  'GET /api/me/sshkey/authorized_keys': 'keys:manage',
  'POST /api/me/sshkey/update': 'keys:manage',
  'GET /api/admin/sshkey/find': 'keys:look-up',
  'GET /api/admin/activity': 'accounts:read',
  'GET /api/admin/activity/export': 'accounts:read',
  'GET /api/admin/user/activity': 'accounts:read',
  'POST /api/me/sshkey/add': 'keys:manage',
  'POST /api/me/sshkey/delete': 'keys:manage',
  'GET /api/admin/user/list': 'accounts:read',
  'GET /api/admin/user/get': 'accounts:read',
  'POST /api/admin/user/del_cache': 'accounts:read',
  'GET /api/admin/user/sshkey/list': 'accounts:read',
  'GET /api/admin/session/list': 'accounts:read',
  'POST /api/admin/user/create': 'accounts:manage',
  'POST /api/admin/user/update': 'accounts:manage',
  'POST /api/admin/user/delete': 'accounts:manage',
  'POST /api/admin/user/cancel_2fa': 'accounts:manage',
  'POST /api/admin/user/sshkey/delete': 'accounts:manage',
  'POST /api/admin/session/evict': 'accounts:manage',
  'GET /api/admin/setting/list': 'settings:read',
  'GET /api/admin/setting/get': 'settings:read',
  'POST /api/admin/setting/default': 'settings:read',
};
const NOT_ACCEPTED = '403 access tokens are not accepted here, log in instead';

function expectedRefusal(route: string, { security }: Operation, granted: readonly AccessTokenScope[]) {
  if (!security) return undefined;
  const scope = SCOPES[route];
  if (!scope) return NOT_ACCEPTED;
  return grantsScope(granted, scope) ? undefined : `403 the access token lacks the scope ${scope}`;
}

// The examples are about the account `bob` with id 3.
beforeAll(() => createAccount(admin, 'bob'));

const everyScope = [
  'profile:read',
  'keys:manage',
  'accounts:manage',
  'settings:read',
  'keys:look-up',
  'logins:verify',
] as const;

describe.each([...accessTokenScopes.map((scope) => [scope]), everyScope])('an access token with %s', (...scopes) => {
  let client: ApiClient;
  beforeAll(async () => {
    ({ client } = await newAccessToken(admin, scopes));
  });

  it.each(operations)('gets the documented answer of %s', async (route, operation) => {
    const answer = await callExample(client, route, operation);
    expect(schemas.problemWith(operation, answer)).toBeUndefined();
    if (route === 'GET /ping') return;
    const refusal = expectedRefusal(route, operation, scopes);
    if (refusal) {
      expect(answer.outcome).toBe(refusal);
      expect(refusalsOf(operation).some((documented) => documented.test(refusal))).toBe(true);
    } else {
      expect(answer.outcome).not.toMatch(/^403 .*access token/);
      expect([/^200 /, ...refusalsOf(operation)].some((documented) => documented.test(answer.outcome))).toBe(true);
    }
  });
});

it.each(operations)('the document names the scope of %s', (route, { description, security }) => {
  const scope = SCOPES[route];
  if (!security) expect(description).not.toMatch(/access token/i);
  else if (scope) expect(description).toContain(`Access tokens need the scope \`${scope}\`.`);
  else expect(description).toContain('Takes no access tokens.');
});

it('every route of the table exists', () => {
  const routes = operations.map(([route]) => route);
  expect(Object.keys(SCOPES).filter((route) => !routes.includes(route))).toEqual([]);
});

it('an access token of a general user gets no further than its owner', async () => {
  const { client } = await newAccessToken(await newMember(admin, 'plain'), ['profile:read', 'keys:manage']);
  for (const [route, operation] of operations.filter(([each]) => each.includes('/api/admin/'))) {
    expect((await callExample(client, route, operation)).outcome).toBe('403 You are not an admin');
  }
});
