import { expect, it } from 'vitest';
import { newAccessToken, tokensOf } from '../support/access-tokens.js';
import { adminOf, newMember } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { sharedApp } from '../support/shared-app.js';

// Each request has its own connection, so the requests of a race meet in several threads.
const app = await sharedApp({ KEYFOLD_THREADS: '4' });
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);

const create = (client: ApiClient, name: string) =>
  client.post('/api/me/tokens', { name, scopes: ['profile:read'], expires: null });
const idsOf = (tokens: readonly { id: number }[]) => new Set(tokens.map(({ id }) => id));
const times = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

it('of 50 parallel creations with one name, one creates a token', async () => {
  const member = await newMember(admin, 'crowd');
  const answers = await times(50, () => create(member, 'backup'));
  const created = answers.filter(({ code }) => code === 200);
  expect(created).toHaveLength(1);
  const refused = answers.filter(({ code }) => code !== 200).map(({ outcome }) => outcome);
  expect(new Set(refused)).toEqual(new Set(['400 an access token with the same name already exists']));
  const { token } = created[0]!.data<{ token: string }>();
  expect((await api.as(token).get('/api/me')).outcome).toBe('200 success');
  expect(await tokensOf(member)).toHaveLength(1);
});

it('of 120 parallel creations, 100 create a token, and each of these works', async () => {
  const member = await newMember(admin, 'limit');
  const answers = await times(120, (index) => create(member, `token ${index}`));
  const tokens = answers.filter(({ code }) => code === 200).map((answer) => answer.data<{ token: string }>().token);
  expect(tokens).toHaveLength(100);
  expect(new Set(tokens).size).toBe(100);
  const refused = answers.filter(({ code }) => code !== 200).map(({ outcome }) => outcome);
  expect(new Set(refused)).toEqual(new Set(['400 the account has too many access tokens, revoke one first']));
  const outcomes = await times(100, async (index) => (await api.as(tokens[index]!).get('/api/me')).outcome);
  expect(new Set(outcomes)).toEqual(new Set(['200 success']));
  const [first] = await tokensOf(member);
  (await member.post('/api/me/tokens/revoke', { id: first!.id })).data();
  expect((await create(member, 'in its place')).outcome).toBe('200 success');
});

it('parallel creations and revocations leave exactly the tokens that were not revoked, and only these work', async () => {
  const member = await newMember(admin, 'churn');
  const old = await times(20, () => newAccessToken(member, ['profile:read']));
  const [made, revoked] = await Promise.all([
    times(20, () => newAccessToken(member, ['profile:read'])),
    times(40, (index) => member.post('/api/me/tokens/revoke', { id: old[index % 20]!.id })),
  ]);
  // Each token is revoked twice, and only one of the two finds it.
  for (const code of [200, 404]) expect(revoked.filter((answer) => answer.code === code)).toHaveLength(20);
  expect(idsOf(await tokensOf(member))).toEqual(idsOf(made));
  const outcomes = async (tokens: typeof old) =>
    new Set(await Promise.all(tokens.map(async ({ client }) => (await client.get('/api/me')).outcome)));
  expect(await outcomes(old)).toEqual(new Set(['401 token is invalidated']));
  expect(await outcomes(made)).toEqual(new Set(['200 success']));
});
