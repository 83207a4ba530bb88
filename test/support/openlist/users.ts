import { staticHash } from '../static-hash.js';
import { Refusal, type Exchange, type Routes } from './exchange.js';
import type { User } from './user.js';

export type { User };

const GUEST = 1;
const ADMIN = 2;
const TAKEN = new Refusal(500, 'constraint failed: UNIQUE constraint failed: x_users.username (2067)');

export const isGuest = ({ role }: User): boolean => role === GUEST;
export const isAdmin = ({ role }: User): boolean => role === ADMIN;
/** Returns whether a user has a right, by its bit. */
export const may = ({ permission }: User, right: keyof typeof RIGHTS): boolean => (permission & RIGHTS[right]) !== 0;

const RIGHTS = {
  addOfflineDownload: 1 << 2,
  writeContent: 1 << 3,
  rename: 1 << 4,
  move: 1 << 5,
  copy: 1 << 6,
  remove: 1 << 7,
  readWebDav: 1 << 8,
  manageWebDav: 1 << 9,
};

export class Users {
  /**
   * OpenList v4.2.5 forgets the time of the password with an update that gives none. Tokens made after such an update
   * therefore outlive the next one. When set, every update ends all tokens.
   */
  everyUpdateEndsTokens = false;
  /**
   * Awaited in each update and deletion before it is saved. OpenList drops its cached user before that, so a request in
   * between caches the former rights again, for an hour or until `del_cache`.
   */
  beforeSave: (() => Promise<unknown>) | undefined;
  private readonly users = new Map<number, User>();
  private readonly idsByName = new Map<string, number>();
  private readonly cache = new Map<string, User>();
  private cachedGuest: User | undefined;
  private lastId = 0;
  private updates = 0;

  constructor(adminPassword: string) {
    this.add({ username: 'admin', role: ADMIN, permission: 29183 }, adminPassword);
    this.add({ username: 'guest', role: GUEST, disabled: true }, 'guest');
  }

  /** All users by id. */
  get all(): readonly User[] {
    return [...this.users.values()];
  }

  get admin(): User {
    return this.withId(1);
  }

  /** The guest as requests see it. */
  get guest(): User {
    return (this.cachedGuest ??= this.withId(2));
  }

  /** Returns the user of a login or a token as requests see it. */
  cached(username: string): User | undefined {
    const user = this.cache.get(username) ?? this.named(username);
    if (user) this.cache.set(username, user);
    return user;
  }

  /** Empties the caches, as a restart does. */
  forgetCached(): void {
    this.cache.clear();
    this.cachedGuest = undefined;
  }

  /** Returns the user with this name as it is saved. */
  named(username: string): User | undefined {
    return this.users.get(this.idsByName.get(username) ?? 0);
  }

  has(id: number): boolean {
    return this.users.has(id);
  }

  withId(id: number): User {
    const user = this.users.get(id);
    if (user) return user;
    throw new Refusal(500, 'failed get old user: record not found');
  }

  /** Adds a general user that no request made. */
  addForeign(username: string, rights: Partial<Pick<User, 'base_path' | 'permission' | 'disabled'>> = {}): User {
    return this.add({ ...rights, username }, `password of ${username}`);
  }

  readonly routes: Routes = {
    'GET /api/me': ['user', ({ user }) => ({ ...shown(user), otp: false })],
    'GET /api/admin/user/list': ['admin', (exchange) => page(this.all.map(shown), exchange)],
    'GET /api/admin/user/get': ['admin', (exchange) => shown(this.withId(idOf(exchange)))],
    'POST /api/admin/user/create': ['admin', (exchange) => this.create(exchange)],
    'POST /api/admin/user/update': ['admin', (exchange) => this.update(exchange)],
    'POST /api/admin/user/delete': ['admin', (exchange) => this.delete(this.withId(idOf(exchange)))],
    'POST /api/admin/user/cancel_2fa': ['admin', (exchange) => this.change(this.withId(idOf(exchange)))],
    'POST /api/admin/user/del_cache': ['admin', (exchange) => this.forgetUser(exchange.query('username'))],
  };

  private async create(exchange: Exchange): Promise<void> {
    const { password, ...fields } = fieldsOf(await exchange.json());
    if (fields.role !== 0) throw new Refusal(400, 'admin or guest user can not be created');
    // The database has `true` as its default, which GORM takes for `false`.
    this.add({ ...fields, allow_ldap: true }, password);
  }

  private async update(exchange: Exchange): Promise<void> {
    const body = await exchange.json();
    const { password, ...fields } = fieldsOf(body);
    const user = this.withId(Number(body['id']));
    if (fields.role !== user.role) throw new Refusal(400, 'role can not be changed');
    if (fields.disabled && isAdmin(user)) throw new Refusal(400, 'admin user can not be disabled');
    await this.change({ ...user, ...fields, ...(password === '' ? { passwordTime: 0 } : passwordOf(password)) });
  }

  private async change(user: User): Promise<void> {
    this.forget(this.withId(user.id));
    await this.beforeSave?.();
    this.save(user);
  }

  private async delete(user: User): Promise<void> {
    if (user.role !== 0) throw new Refusal(500, 'cannot delete admin or guest');
    this.forget(user);
    await this.beforeSave?.();
    this.users.delete(user.id);
    this.idsByName.delete(user.username);
  }

  private forgetUser(username: string): void {
    const user = this.cached(username);
    if (!user) throw new Refusal(500, 'failed find user: record not found');
    this.forget(user);
  }

  private forget(user: User): void {
    this.cache.delete(user.username);
    if (isGuest(user)) this.cachedGuest = undefined;
  }

  private add(fields: Partial<User> & { username: string }, password: string): User {
    const user = { ...NEW, ...fields, ...passwordOf(password), id: this.lastId + 1 };
    this.save(user);
    this.lastId++;
    return user;
  }

  private save(user: User): void {
    const owner = this.idsByName.get(user.username);
    if (owner !== undefined && owner !== user.id) throw TAKEN;
    const former = this.users.get(user.id);
    if (former) this.idsByName.delete(former.username);
    this.idsByName.set(user.username, user.id);
    const passwordTime = this.everyUpdateEndsTokens ? ++this.updates : user.passwordTime;
    this.users.set(user.id, Object.freeze({ ...user, passwordTime }));
  }
}

/** Returns one page of a list, as the query asks for it. */
export function page<Row>(rows: readonly Row[], exchange: Exchange): { content: readonly Row[]; total: number } {
  const size = Number(exchange.query('per_page'));
  if (!(size >= 1)) return { content: rows, total: rows.length };
  const first = (Math.max(1, Number(exchange.query('page'))) - 1) * size;
  return { content: rows.slice(first, first + size), total: rows.length };
}

/** Returns the id in the query. */
export function idOf(exchange: Exchange): number {
  const text = exchange.query('id');
  if (/^\d+$/.test(text)) return Number(text);
  throw new Refusal(400, `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
}

const NEW = {
  base_path: '/',
  role: 0,
  disabled: false,
  permission: 0,
  sso_id: '',
  allow_ldap: true,
};

function passwordOf(password: string): Pick<User, 'passwordHash' | 'passwordTime'> {
  return { passwordHash: staticHash(password), passwordTime: Math.floor(Date.now() / 1000) };
}

function shown({ id, username, base_path, role, disabled, permission, sso_id, allow_ldap }: User) {
  return { id, username, password: '', base_path, role, disabled, permission, sso_id, allow_ldap };
}

/** Reads a user as Go decodes it: a missing field has the zero value of its type. */
function fieldsOf(body: Readonly<Record<string, unknown>>) {
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '');
  if (text('username') === '') {
    throw new Refusal(400, "Key: 'User.Username' Error:Field validation for 'Username' failed on the 'required' tag");
  }
  return {
    username: text('username'),
    password: text('password'),
    base_path: `/${text('base_path').split('/').filter(Boolean).join('/')}`,
    role: Number(body['role'] ?? 0),
    disabled: body['disabled'] === true,
    permission: Number(body['permission'] ?? 0),
    sso_id: text('sso_id'),
    allow_ldap: body['allow_ldap'] === true,
  };
}
