import { describe, expect, it } from 'vitest';
import { newAccessToken } from '../support/access-tokens.js';
import { adminOf } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

describe('WebAuthn', () => {
  it.each([
    ['GET', 'webauthn_begin_registration'],
    ['POST', 'webauthn_finish_registration'],
  ])('%s %s is off for every valid caller, including the disabled guest', async (method, route) => {
    const send = (client: ApiClient) => client.send({ method, path: `/api/authn/${route}` });
    for (const client of [api, admin]) expect((await send(client)).outcome).toBe('403 WebAuthn is not enabled');
    expect((await send(api.as('nonsense'))).outcome).toBe('401 token is invalidated');
  });

  it.each([
    ['GET', 'webauthn_begin_login'],
    ['POST', 'webauthn_finish_login'],
  ])('%s %s is off whatever the token', async (method, route) => {
    const answer = await api.as('nonsense').send({ method, path: `/api/authn/${route}` });
    expect(answer.outcome).toBe('403 WebAuthn is not enabled');
  });

  it('takes no access tokens where a caller is needed', async () => {
    const { client } = await newAccessToken(admin, ['profile:read']);
    for (const [method, route] of [
      ['GET', 'webauthn_begin_registration'],
      ['POST', 'webauthn_finish_registration'],
      ['GET', 'getcredentials'],
      ['POST', 'delete_authn'],
    ] as const) {
      const answer = await client.send({
        method,
        path: `/api/authn/${route}`,
        body: method === 'POST' ? { id: 'x' } : undefined,
      });
      expect(answer.outcome).toBe('403 access tokens are not accepted here, log in instead');
    }
  });

  it('accepts the deletion of nonexistent credentials', async () => {
    const path = '/api/authn/delete_authn';
    for (const client of [api, admin])
      expect((await client.post(path, { id: 'x' })).data()).toBe('Deleted Successfully');
    expect((await api.as('nonsense').post(path, { id: 'x' })).outcome).toBe('401 token is invalidated');
    expect((await admin.post(path, { id: 1 })).code).toBe(400);
  });
});
