import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { staticHash } from '../static-hash.js';
import { Refusal, type Exchange, type Routes } from './exchange.js';
import type { User, Users } from './users.js';

type Token = Readonly<{ username: string; passwordTime: number }>;

const LOCK_MILLISECONDS = 5 * 60_000;
const WRONG_LOGINS = 5;
const WRONG_LOGIN = new Refusal(401, 'Invalid username or password');
const LOCKED = new Refusal(
  429,
  'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
);

/** Logins, the tokens that they returned, and the static token. */
export class Tokens {
  staticToken: string;
  /** Wrong logins since the start, over HTTP and WebDAV. A restart does not reset this counter. */
  wrongLogins = 0;
  /** Logins that returned a token. */
  logins = 0;
  private readonly secret = randomBytes(32);
  private readonly tokens = new Map<string, Token>();
  private readonly expired = new Set<string>();
  private readonly failures = new Map<string, { count: number; until: number }>();

  constructor(
    private readonly users: Users,
    staticToken?: string,
  ) {
    this.staticToken = staticToken ?? newStaticToken();
  }

  readonly routes: Routes = {
    'POST /api/auth/login': ['anyone', (exchange) => this.logIn(exchange, staticHash)],
    'POST /api/auth/login/hash': ['anyone', (exchange) => this.logIn(exchange, (password) => password)],
    'GET /api/auth/logout': ['user', (exchange) => void this.tokens.delete(exchange.header('authorization'))],
  };

  /** Expires all tokens, as `token_expires_in` does. */
  expireTokens(): void {
    for (const token of this.tokens.keys()) this.expired.add(token);
  }

  /** Forgets all tokens and wrong logins, as a restart does. */
  forgetAll(): void {
    this.tokens.clear();
    this.expired.clear();
    this.failures.clear();
  }

  /** Returns the user for whom a request of the API speaks. */
  userOf(exchange: Exchange, { disabledGuest = false } = {}): User {
    const token = exchange.header('authorization');
    if (token === this.staticToken) return this.users.admin;
    if (token === '') {
      const { guest } = this.users;
      if (guest.disabled && !disabledGuest) throw new Refusal(401, 'Guest user is disabled, login please');
      return guest;
    }
    const made = this.tokens.get(token);
    if (!made) throw new Refusal(401, 'token is invalidated');
    if (this.expired.has(token)) throw new Refusal(401, 'token is expired');
    const user = this.users.cached(made.username);
    if (!user) throw new Refusal(401, 'failed find user: record not found');
    if (user.passwordTime !== made.passwordTime) throw new Refusal(401, 'Password has been changed, login please');
    if (user.disabled) throw new Refusal(401, 'Current user is disabled, replace please');
    return user;
  }

  /** Returns the user with this password. Counts a wrong one. */
  passwordUser(address: string, username: string, passwordHash: string): User | undefined {
    const user = this.users.cached(username);
    if (user?.passwordHash === passwordHash) {
      this.failures.delete(address);
      return user;
    }
    this.wrongLogins++;
    const count = (this.failures.get(address)?.count ?? 0) + 1;
    this.failures.set(address, { count, until: Infinity });
    return undefined;
  }

  /** Returns whether an address is locked. Each attempt of a locked address starts its five minutes again. */
  isLocked(address: string): boolean {
    const failure = this.failures.get(address);
    if (!failure || failure.count < WRONG_LOGINS) return false;
    if (failure.until < Date.now()) {
      this.failures.delete(address);
      return false;
    }
    failure.until = Date.now() + LOCK_MILLISECONDS;
    return true;
  }

  resetStaticToken(): string {
    return (this.staticToken = newStaticToken());
  }

  private async logIn(exchange: Exchange, hashOf: (password: string) => string): Promise<{ token: string }> {
    const { username, password } = await exchange.json();
    const address = exchange.clientAddress;
    if (this.isLocked(address)) throw LOCKED;
    const user = this.passwordUser(address, String(username ?? ''), hashOf(String(password ?? '')));
    if (!user) throw WRONG_LOGIN;
    this.logins++;
    return { token: this.issue(user) };
  }

  private issue({ username, passwordTime }: User): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = { username, pwd_ts: passwordTime, exp: now + 48 * 3600, nbf: now, iat: now };
    const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const token = `${text}.${createHmac('sha256', this.secret).update(text).digest('base64url')}`;
    this.tokens.set(token, { username, passwordTime });
    return token;
  }
}

function newStaticToken(): string {
  return `openlist-${randomUUID()}${randomBytes(48).toString('base64url')}`;
}
