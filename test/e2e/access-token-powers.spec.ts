import { expect, it } from 'vitest';
import { seededRandom } from '../fault/seeded-random.js';
import { newAccessToken, tokensOf } from '../support/access-tokens.js';
import { accountNamed, adminOf, createAccount } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { newKeyLine } from '../support/key-line.js';
import { sharedApp } from '../support/shared-app.js';
import { storedStaticToken } from '../support/stored-data.js';
import { SEED, timesLength } from '../support/test-length.js';

/** Random requests with the token. */
const ROUNDS = timesLength(500);

const app = await sharedApp();
const api = new ApiClient(app.baseUrl);
const admin = await adminOf(api);
for (const name of ['managed', 'other']) await createAccount(admin, name);
(await admin.post('/api/me/sshkey/add', { title: 'laptop', key: newKeyLine().line })).data();
// Every scope but keys:manage, which lets a program change the keys of an administrator by design.
const { client: token } = await newAccessToken(admin, [
  'profile:read',
  'activity:read',
  'accounts:manage',
  'accounts:audit',
  'settings:read',
  'keys:find',
  'keys:look-up',
  'logins:verify',
]);

/** Values of the fields of bodies and queries that may hit an administrator. */
const VALUES = {
  id: [0, 1, 2, 3, 4, 2 ** 20 + 1],
  uid: [1, 2, 3],
  user_id: [0, 1, 2, 3],
  username: ['admin', 'guest', 'managed', 'new'],
  password: ['', 'n3w-pass'],
  role: [0, 0, 1, 2],
  disabled: [true, false],
  permission: [0, -1],
  sso_id: ['', 'mine'],
  revoke_secrets: [true, false],
  key: ['token', 'site_title'],
  value: ['my-own-static-token'],
};

it('an access token, whatever it requests, changes neither the administrators nor what they have', async () => {
  const random = seededRandom(SEED);
  const of = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const { paths } = (await api.get('/openapi.json')).json as { paths: Record<string, Record<string, unknown>> };
  delete paths['/ping'];
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => [method, path] as const),
  );
  const changing = routes.filter(([method, path]) => method === 'post' && path.startsWith('/api/admin/user/'));
  const values = { ...VALUES, session_id: await sessionIds() };
  const before = await possessions();
  for (let round = 0; round < ROUNDS; round++) {
    const [method, path] = of(random() < 0.2 ? changing : routes);
    const chosen = Object.entries(values).filter(() => random() < 0.8);
    const fields = Object.fromEntries(chosen.map(([name, each]) => [name, of<unknown>(each)]));
    const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    await token.send({
      method: method.toUpperCase(),
      path: `${path}?${query.join('&')}`,
      ...(method === 'post' && { body: random() < 0.1 ? [fields] : fields }),
    });
  }
  expect(await possessions(), `seed ${SEED}`).toEqual(before);
  // It was not refused everything.
  (await token.post('/api/admin/user/create', { username: 'last', password: 'pw' })).data();
  const { id } = await accountNamed(admin, 'last');
  (await token.post('/api/admin/user/update', { id, username: 'last', permission: 8 })).data();
  for (const change of ['cancel_2fa', 'delete']) (await token.post(`/api/admin/user/${change}?id=${id}`)).data();
});

async function sessionIds(): Promise<string[]> {
  return (await admin.get('/api/me/sessions')).data<{ session_id: string }[]>().map(({ session_id }) => session_id);
}

/** Returns everything that makes an administrator: the accounts, their credentials, tokens and keys, and the settings. */
async function possessions() {
  const { content } = (await admin.get('/api/admin/user/list')).data<{ content: { role: number }[] }>();
  const keys = (await admin.get('/api/me/sshkey/list')).data<{ content: { id: number }[] }>();
  return {
    admins: content.filter(({ role }) => role === 2),
    guests: content.filter(({ role }) => role === 1).length,
    me: (await admin.get('/api/me')).data(),
    keys: keys.content.map(({ id }) => id),
    sessions: await sessionIds(),
    tokens: (await tokensOf(admin)).map(({ id }) => id),
    staticToken: storedStaticToken(app.dataDir),
    settings: (await admin.get('/api/admin/setting/list')).data(),
  };
}
