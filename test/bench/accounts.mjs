import { ADMIN } from './app.mjs';
import { keyBodies } from './key-bodies.mjs';

/** Requests in flight while accounts are created. */
const AT_A_TIME = 8;
const PASSWORD = 'Bench-pass-1';

/**
 * Creates accounts over the API. Each has its own address, like the clients of a real site, because logins are counted
 * by address.
 */
export class Accounts {
  #made = 0;

  constructor(url, adminToken) {
    this.url = url;
    this.adminToken = adminToken;
  }

  static async of(url) {
    return new Accounts(url, await logIn(url, ADMIN, '10.0.0.1'));
  }

  /** Returns new accounts as `{ headers, login }`: the headers of a signed-in request, and the body of a login. */
  async make(count) {
    const accounts = [];
    while (accounts.length < count) {
      const batch = Math.min(AT_A_TIME, count - accounts.length);
      accounts.push(...(await Promise.all(Array.from({ length: batch }, () => this.#makeOne()))));
    }
    return accounts;
  }

  /** Returns new accounts with some keys each. */
  async makeWithKeys(count, keys) {
    const accounts = await this.make(count);
    for (const { headers } of accounts) {
      for (const body of keyBodies(keys)) await post(`${this.url}/api/me/sshkey/add`, body, headers);
    }
    return accounts;
  }

  async #makeOne() {
    const n = ++this.#made;
    const credentials = { username: `bench-${n}`, password: PASSWORD };
    const fields = JSON.stringify({ ...credentials, role: 0, base_path: '/' });
    await post(`${this.url}/api/admin/user/create`, fields, { Authorization: this.adminToken });
    const address = `10.1.${n >> 8}.${n & 255}`;
    const token = await logIn(this.url, credentials, address);
    return {
      headers: { Authorization: token, 'Content-Type': 'application/json' },
      login: { headers: loginHeaders(address), body: JSON.stringify(credentials) },
    };
  }
}

const loginHeaders = (address) => ({ 'X-Forwarded-For': address, 'Content-Type': 'application/json' });

async function logIn(url, credentials, address) {
  const { token } = await post(`${url}/api/auth/login`, JSON.stringify(credentials), loginHeaders(address));
  return token;
}

async function post(url, body, headers) {
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  const { code, message, data } = await answer.json();
  if (code !== 200) throw new Error(`${url} answers ${code} ${message}`);
  return data;
}
