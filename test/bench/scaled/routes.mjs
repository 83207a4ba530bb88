// The routes that read accounts.
import { keyBodies } from '../key-bodies.mjs';
import { changingRoutes, FEWER, logins } from './changing-routes.mjs';

const PER_PAGE = 30;

/**
 * The rows of the table in the order of measurement. `requests` returns what is sent for some accounts, possibly with
 * an administrator's token; `total` is the number of accounts and `url` the address of the gateway. "First" means a
 * gateway's first request for an account.
 */
export const routes = [
  own('GET /api/me, first', '/api/me'),
  own('GET /api/me', '/api/me'),
  own('GET /api/me/sshkey/list, first', '/api/me/sshkey/list'),
  own('GET /api/me/sshkey/list', '/api/me/sshkey/list'),
  {
    name: 'POST /api/me/sshkey/add',
    requests: ({ accounts }) => {
      const bodies = keyBodies(accounts.length);
      const path = '/api/me/sshkey/add';
      return accounts.map(({ headers }, index) => ({ method: 'POST', path, headers, body: bodies[index] }));
    },
  },
  {
    name: 'GET /api/admin/user/get',
    requests: ({ accounts, admin }) =>
      accounts.map(({ accountId }) => ({ path: `/api/admin/user/get?id=${accountId}`, headers: admin })),
  },
  page('first', () => 1),
  page('middle', (pages) => Math.ceil(pages / 2)),
  page('last', (pages) => pages),
  { name: 'POST /api/auth/login, cheapest hash', requests: logins },
  ...changingRoutes,
];

function own(name, path) {
  return { name, requests: ({ accounts }) => accounts.map(({ headers }) => ({ path, headers })) };
}

/**
 * Returns requests for a page of the account list, which is counted each time and may take `mostMs`. They alternate with
 * its neighbours, so that no request repeats the previous one.
 */
function page(which, numberOf) {
  return {
    name: `GET /api/admin/user/list, ${which} page`,
    mostMs: 500,
    requests: ({ admin, total }) => {
      const number = numberOf(Math.floor(total / PER_PAGE));
      const path = `/api/admin/user/list?page=${number}&per_page=${PER_PAGE}`;
      return Array.from({ length: FEWER }, () => ({ path, headers: admin }));
    },
  };
}
