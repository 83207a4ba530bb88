import { reasonOf } from '@keyfold/reporting';
import { hash } from 'node:crypto';
import type { Pool } from 'undici';
import { z } from 'zod';
import { Availability, mirrorPause } from './availability.js';
import { LoginsLocked, OpenListForeign, OpenListRefused, OpenListUnavailable } from './openlist.errors.js';

/** Requests of one process to the API that are in flight together. */
const CONNECTIONS = 8;
/** Milliseconds. */
const CONNECT_TIMEOUT = 2_000;
const ANSWER_TIMEOUT = 5_000;
/** In bytes. A page of users or the keys of one user take less. */
const LARGEST_ANSWER = 8_388_608;
/** The status and the code with which OpenList refuses a login from a locked address. */
export const LOCKED = 429;
/** The header that marks each request of this deployment to OpenList. One that comes back shows that the address of OpenList is wrong. */
export const FORWARDER = 'x-keyfold-forwarder';
const LOOP = 508;
/** Users that are read at once. */
export const USER_PAGE = 500;

export const ROLE_GUEST = 1;
export const ROLE_ADMIN = 2;

const userSchema = z.object({
  id: z.number(),
  username: z.string(),
  base_path: z.string(),
  role: z.number(),
  disabled: z.boolean(),
  permission: z.number(),
  sso_id: z.string(),
  allow_ldap: z.boolean(),
});
/** A user of OpenList, in the fields of its API. */
export type FoundUser = z.infer<typeof userSchema>;

/** The fields of a user that is written. An empty password leaves the present one. */
export type UserFields = Omit<FoundUser, 'id'> & Readonly<{ password: string }>;

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ content: z.array(item).nullable(), total: z.number() });
const usersSchema = pageOf(userSchema);
const keySchema = z.object({ id: z.number(), title: z.string(), fingerprint: z.string() });
const keysSchema = pageOf(keySchema);
/** An SSH key of a user of OpenList. */
export type FoundKey = z.infer<typeof keySchema>;

const metaUsersSchema = z.object({
  read_users: z.array(z.number()).nullish(),
  write_users: z.array(z.number()).nullish(),
});
/** The users that may read and write in a folder; nobody in a list means everybody. */
export type MetaUsers = z.infer<typeof metaUsersSchema>;

const envelopeSchema = z.object({ code: z.number(), message: z.string(), data: z.unknown() });
const tokenSchema = z.object({ token: z.string() });
const versionSchema = z.object({ version: z.string().optional() });

type Call = Readonly<{ method: 'GET' | 'POST'; path: string; authorization?: string; address?: string; json?: object }>;

/**
 * The API of OpenList, called as its administrator. Every method throws `OpenListUnavailable`, and `OpenListRefused` if OpenList refuses. Source:
 * server/router.go and server/handles of OpenList v4.2.5.
 */
export class OpenListApi {
  /** The value of `FORWARDER`: the same in all processes, and known to no client. */
  readonly forwarder: string;
  /** Whether OpenList answers. While it does not, it is asked once a second. */
  readonly availability = new Availability(() => this.version());

  private constructor(
    private readonly pool: Pool,
    /** The value of `Authorization` that speaks for OpenList's administrator: its static token. */
    readonly administrator: string,
  ) {
    this.forwarder = hash('sha256', `forwarder ${administrator}`).slice(0, 16);
  }

  /** Connects when the first request is sent. Loads undici, which a process without OpenList does not need. */
  static async open({ url, token }: Readonly<{ url: string; token: string }>): Promise<OpenListApi> {
    const { Pool } = await import('undici');
    const pool = new Pool(url, {
      connections: CONNECTIONS,
      connect: { timeout: CONNECT_TIMEOUT },
      headersTimeout: ANSWER_TIMEOUT,
      bodyTimeout: ANSWER_TIMEOUT,
      maxResponseSize: LARGEST_ANSWER,
    });
    return new OpenListApi(pool, token);
  }

  /** Returns the version of OpenList. */
  async version(): Promise<string> {
    const settings = await this.#data(
      { method: 'GET', path: '/api/public/settings', authorization: '' },
      versionSchema,
    );
    return settings.version ?? 'unknown';
  }

  /** Returns the users in order of their ids. `page` counts from 1. */
  async users(page: number, perPage = USER_PAGE): Promise<Readonly<{ users: readonly FoundUser[]; total: number }>> {
    const path = `/api/admin/user/list?page=${page}&per_page=${perPage}`;
    const { content, total } = await this.#data({ method: 'GET', path }, usersSchema);
    return { users: content ?? [], total };
  }

  /** Reads a user from the database of OpenList, not from its cache. */
  async user(id: number): Promise<FoundUser | undefined> {
    return this.#data({ method: 'GET', path: `/api/admin/user/get?id=${id}` }, userSchema).catch(ifFound);
  }

  async createUser(user: UserFields): Promise<void> {
    await this.#call({ method: 'POST', path: '/api/admin/user/create', json: user });
  }

  async updateUser(user: UserFields & Readonly<{ id: number }>): Promise<void> {
    await this.#call({ method: 'POST', path: '/api/admin/user/update', json: user });
  }

  /**
   * Lets OpenList read these users from its database again. It removes a user from its cache before it stores a change, so that a request in between
   * brings the old state back for an hour.
   */
  async refresh(usernames: readonly string[]): Promise<void> {
    await Promise.all([...new Set(usernames)].map((name) => this.refreshUser(name)));
  }

  /** Like `refresh`. Returns whether there is a user with the name. */
  async refreshUser(username: string): Promise<boolean> {
    const path = `/api/admin/user/del_cache?username=${encodeURIComponent(username)}`;
    return this.#call({ method: 'POST', path }).then(() => true, unlessUnavailable);
  }

  async deleteUser({ id, username }: FoundUser): Promise<void> {
    await this.#call({ method: 'POST', path: `/api/admin/user/delete?id=${id}` });
    await this.refresh([username]);
  }

  async removeTwoFactor(id: number): Promise<void> {
    await this.#call({ method: 'POST', path: `/api/admin/user/cancel_2fa?id=${id}` });
  }

  /**
   * Returns the address from which a mirror logs in. OpenList counts wrong logins by the first address in `X-Forwarded-For` from any sender. Nobody else
   * knows this one, so neither guesses of others nor another mirror can lock it. `login`: a name, or a value of `Authorization`.
   */
  loginAddress(login: string): string {
    const digest = hash('sha256', `login ${this.administrator} ${login}`);
    // A unique local address (RFC 4193).
    return `fd${digest.slice(0, 30)}`.match(/.{4}/g)!.join(':');
  }

  /** Returns a token. OpenList counts a wrong login, and refuses all logins of the mirror after five. */
  async logIn(username: string, password: string): Promise<string> {
    const address = this.loginAddress(username);
    if (this.availability.isLocked(address))
      throw new LoginsLocked('OpenList refuses logins of the mirror for some minutes');
    const call = { method: 'POST', path: '/api/auth/login', authorization: '', json: { username, password } } as const;
    try {
      return (await this.#data({ ...call, address }, tokenSchema)).token;
    } catch (error) {
      if (!(error instanceof OpenListRefused) || error.code !== LOCKED) throw error;
      throw this.availability.locked(address, mirrorPause());
    }
  }

  /** Returns whether OpenList takes the token of a user. */
  async takesToken(authorization: string): Promise<boolean> {
    const call = { method: 'GET', path: '/api/me', authorization } as const;
    return this.#call(call).then(
      () => true,
      (error: unknown) => {
        if (error instanceof OpenListRefused) return error.code !== 401;
        throw error;
      },
    );
  }

  async keys(userId: number): Promise<readonly FoundKey[]> {
    const path = `/api/admin/user/sshkey/list?uid=${userId}`;
    return (await this.#data({ method: 'GET', path }, keysSchema)).content ?? [];
  }

  /** Only the user itself can add a key. */
  async addKey(authorization: string, title: string, key: string): Promise<void> {
    await this.#call({ method: 'POST', path: '/api/me/sshkey/add', authorization, json: { title, key } });
  }

  async deleteKey(id: number): Promise<void> {
    await this.#call({ method: 'POST', path: `/api/admin/user/sshkey/delete?id=${id}` });
  }

  /** Returns the users that the meta of a folder names; undefined if there is no such meta. */
  async metaUsers(id: number): Promise<MetaUsers | undefined> {
    return this.#data({ method: 'GET', path: `/api/admin/meta/get?id=${id}` }, metaUsersSchema).catch(ifFound);
  }

  /** Ends its connections once their requests have ended. */
  async close(): Promise<void> {
    this.availability.close();
    await this.pool.close();
  }

  async #data<Data>(call: Call, schema: z.ZodType<Data>): Promise<Data> {
    const parsed = schema.safeParse(await this.#call(call));
    if (parsed.success) return parsed.data;
    throw new OpenListUnavailable(`OpenList answered ${call.path.split('?', 1)[0]!} in an unknown form`);
  }

  async #call(call: Call): Promise<unknown> {
    const answer = await this.#send(call).catch((error: OpenListUnavailable) => {
      this.availability.failed(error);
      throw error;
    });
    this.availability.apiAnswered();
    if (answer.code !== 200) throw new OpenListRefused(answer.code, answer.message);
    return answer.data;
  }

  async #send({
    method,
    path,
    authorization = this.administrator,
    address,
    json,
  }: Call): Promise<z.infer<typeof envelopeSchema>> {
    try {
      const { statusCode, body } = await this.pool.request({
        method,
        path,
        headers: {
          [FORWARDER]: this.forwarder,
          ...(authorization && { authorization }),
          ...(address && { 'x-forwarded-for': address }),
          ...(json && { 'content-type': 'application/json' }),
        },
        ...(json && { body: JSON.stringify(json) }),
      });
      const text = await body.text();
      if (statusCode === 200) return envelopeSchema.parse(JSON.parse(text));
      if (statusCode === LOOP) throw new Error('KEYFOLD_OPENLIST_URL leads back to Keyfold');
      throw new Error(`it answers with the status ${statusCode}`);
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof z.ZodError) throw await this.#foreign();
      throw new OpenListUnavailable(`OpenList is unavailable: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** If `site_url` has a path, OpenList serves its web page everywhere else and redirects the root to that path. */
  async #foreign(): Promise<OpenListForeign> {
    const ask = (path: string) => this.pool.request({ method: 'GET', path, headers: { [FORWARDER]: this.forwarder } });
    try {
      const root = await ask('/');
      await root.body.dump();
      const [path] = /^\/[^/].*/.exec(String(root.headers['location'])) ?? [];
      if (path === undefined) return new OpenListForeign(undefined);
      // Other servers redirect the root, too, for example to a page about maintenance.
      const { body } = await ask(`${path.replace(/\/$/, '')}/api/public/settings`);
      envelopeSchema.parse(await body.json());
      return new OpenListForeign(path);
    } catch {
      return new OpenListForeign(undefined);
    }
  }
}

function ifFound(error: unknown): undefined {
  if (!(error instanceof OpenListRefused) || !error.text.includes('record not found')) throw error;
}

/** OpenList refuses this for a user that it does not have. */
function unlessUnavailable(error: unknown): false {
  if (!(error instanceof OpenListRefused)) throw error;
  return false;
}
