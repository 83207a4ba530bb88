// The routes that change accounts. Keys or secrets that a request needs are fetched beforehand and not measured.
import { randomUUID } from 'node:crypto';
import { generateSync } from 'otplib';
import { answersOf } from './requests.mjs';
import { nameOf, PASSWORD } from './story.mjs';

/** Requests to routes that are slow or cost the same for every account. */
export const FEWER = 200;
const someOf = ({ accounts }) => accounts.slice(0, FEWER);

const JSON_BODY = { 'Content-Type': 'application/json' };
const post = (path, headers, body) =>
  body === undefined
    ? { method: 'POST', path, headers }
    : { method: 'POST', path, headers: { ...headers, ...JSON_BODY }, body: JSON.stringify(body) };

/** Returns login requests, each from its own address. */
export const logins = (stage) =>
  someOf(stage).map(({ accountId }, index) => {
    const headers = { 'X-Forwarded-For': `10.1.${index >> 8}.${index & 255}` };
    return post('/api/auth/login', headers, { username: nameOf(accountId), password: PASSWORD });
  });

/** Returns a route that is asked once about each of some accounts. */
const ofEach = (name, request) => ({ name, requests: (stage) => someOf(stage).map((each) => request(each, stage)) });

/** The rows of the table, like those of `routes.mjs`. They restore the accounts, except for a new SSO id. */
export const changingRoutes = [
  ofEach('POST /api/me/update', ({ accountId, headers }) =>
    post('/api/me/update', headers, { username: nameOf(accountId), password: '', sso_id: randomUUID() }),
  ),
  {
    name: 'POST /api/me/sshkey/delete',
    async requests(stage) {
      const some = someOf(stage).map(({ headers }) => ({ path: '/api/me/sshkey/list', headers }));
      const lists = await answersOf(stage.url, some);
      return lists.map(({ content }, index) =>
        post(`/api/me/sshkey/delete?id=${content.at(-1).id}`, some[index].headers),
      );
    },
  },
  ofEach('POST /api/auth/2fa/generate', ({ headers }) => post('/api/auth/2fa/generate', headers)),
  {
    name: 'POST /api/auth/2fa/verify',
    async requests(stage) {
      const some = someOf(stage).map(({ headers }) => post('/api/auth/2fa/generate', headers));
      const secrets = await answersOf(stage.url, some);
      return secrets.map(({ secret }, index) =>
        post('/api/auth/2fa/verify', some[index].headers, { secret, code: generateSync({ secret }) }),
      );
    },
  },
  ofEach('POST /api/admin/user/cancel_2fa', ({ accountId }, { admin }) =>
    post(`/api/admin/user/cancel_2fa?id=${accountId}`, admin),
  ),
  ofEach('GET /api/admin/user/sshkey/list', ({ accountId }, { admin }) => ({
    path: `/api/admin/user/sshkey/list?uid=${accountId}`,
    headers: admin,
  })),
  ofEach('POST /api/admin/user/create, with its hash', (_, { admin }) =>
    post('/api/admin/user/create', admin, { username: randomUUID(), password: PASSWORD }),
  ),
  {
    name: 'POST /api/admin/user/update',
    requests: async (stage) =>
      (await createdAccounts(stage)).map(({ id, username }) =>
        post('/api/admin/user/update', stage.admin, { id, username: `${username}-renamed`, password: '' }),
      ),
  },
  {
    name: 'POST /api/admin/user/delete',
    requests: async (stage) =>
      (await createdAccounts(stage)).map(({ id }) => post(`/api/admin/user/delete?id=${id}`, stage.admin)),
  },
  {
    name: 'GET /api/auth/logout',
    async requests(stage) {
      const sessions = await answersOf(stage.url, logins(stage));
      return sessions.map(({ token }) => ({ path: '/api/auth/logout', headers: { Authorization: token } }));
    },
  },
];

/** Returns the accounts created last, as many as `someOf` returns. */
async function createdAccounts({ url, admin, accounts }) {
  const { length } = someOf({ accounts });
  const list = (page) => ({ path: `/api/admin/user/list?page=${page}&per_page=${length}`, headers: admin });
  const [{ total }] = await answersOf(url, [list(1)]);
  const last = Math.ceil(total / length);
  const pages = await answersOf(url, [list(last - 1), list(last)]);
  return pages.flatMap(({ content }) => content).slice(-length);
}
