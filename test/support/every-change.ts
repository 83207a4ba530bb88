import { accountNamed, ADMIN_PASSWORD } from './accounts.js';
import { ApiClient, type Answer } from './api-client.js';
import type { CliResult } from './cli.js';
import { newKeyLine } from './key-line.js';
import { SecretSearch } from './secret-search.js';
import { staticHash } from './static-hash.js';
import { codeNow } from './two-factor.js';

/** A change that was made: what, about which account, as whom, from where and in which request. */
export type Made = Readonly<{ type: string; about: number | null; by: string; ip: string; correlation?: string }>;

/** Runs an operator command on the service, with `input` on standard input. */
export type Operate = (input: string, ...args: readonly string[]) => Promise<CliResult>;

/** The id of the first administrator. */
export const ADMIN = 1;

/** A client that records what it changes. */
class Actor {
  constructor(
    readonly client: ApiClient,
    readonly by: string,
    readonly ip: string,
    private readonly record: Pick<EveryChange, 'called' | 'made' | 'memberId'>,
  ) {}

  /** Calls a route, and records the changes that it makes to the member in this order. */
  change(path: string, body: object | undefined, ...types: string[]): Promise<Answer> {
    return this.#change(path, body, this.record.memberId, types);
  }

  changeSettings(path: string, body?: object): Promise<Answer> {
    return this.#change(`/api/admin/setting/${path}`, body, null, ['site-settings.changed']);
  }

  async #change(path: string, body: object | undefined, about: number | null, types: string[]): Promise<Answer> {
    const route = `POST ${path.split('?')[0]}`;
    this.record.called.add(route);
    const answer = await this.client.post(path, body);
    answer.data();
    const correlation = String(answer.headers['x-request-id']);
    for (const type of types) this.record.made.push({ type, about, by: this.by, ip: this.ip, correlation });
    return answer;
  }
}

/** Makes every change that the API and the operator can make, to one member and to the settings, and records each. */
export class EveryChange {
  /** The changes, in order. */
  readonly made: Made[] = [];
  /** The routes that were called to change something. */
  readonly called = new Set<string>();
  /** Every secret that was used. */
  readonly secrets = new SecretSearch();
  /** The account of the member, which is deleted in the end. */
  memberId = 0;
  #addresses = 0;
  readonly #api: ApiClient;

  constructor(
    baseUrl: string,
    private readonly operate: Operate,
  ) {
    this.#api = new ApiClient(baseUrl);
  }

  /** Logs in from an address of its own. */
  async #logIn(username: string, password: string, about: number, code?: string): Promise<Actor> {
    const ip = `172.21.0.${(this.#addresses += 1)}`;
    const client = this.#api.from(ip).with({ 'user-agent': `browser at ${ip}` });
    this.called.add('POST /api/auth/login');
    const answer = await client.logIn(username, password, code);
    const { token } = answer.data<{ token: string }>();
    this.secrets.add(`token from ${ip}`, token);
    const correlation = String(answer.headers['x-request-id']);
    if (code !== undefined && code.length > 6)
      this.made.push({ type: 'account.recovery-code-used', about, by: `login:${about}`, ip: '', correlation });
    this.made.push({ type: 'session.started', about, by: `login:${about}`, ip, correlation });
    return new Actor(client.as(token), `session:${about}`, ip, this);
  }

  #secret(name: string, value: string): string {
    this.secrets.add(name, value);
    return value;
  }

  /** Makes every change, one after the other. */
  async make(): Promise<void> {
    const admin = await this.#logIn('admin', ADMIN_PASSWORD, ADMIN);
    const shown = await this.operate('', 'settings', 'get', 'token', '--reveal');
    const token = this.#secret('static token', shown.out.trim());
    const program = new Actor(this.#api.as(token), `static-token:${ADMIN}`, '', this);
    const users = '/api/admin/user';

    const first = this.#secret('first password', 'the first password');
    const create = { username: 'maria', password: first, role: 0 };
    this.memberId = (await accountNamed(admin.client, 'guest')).id + 1;
    await program.change(`${users}/create`, create, 'account.registered');

    let maria = await this.#logIn('maria', first, this.memberId);
    await this.#manageKeys(maria, admin);
    await this.#manageTokens(maria, admin);
    await this.#manageAppPasswords(maria, admin);
    await this.#manageTwoFactor(maria, admin);
    await maria.change('/api/me/update', { username: 'maria', sso_id: 'sso' }, 'account.changed');
    await maria.change('/api/me/update', { username: 'mary', sso_id: 'sso' }, 'account.renamed');
    maria = await this.#logIn('mary', first, this.memberId);
    const second = this.#secret('second password', 'the second password');
    const password = { username: 'mary', sso_id: 'sso', password: second };
    await maria.change('/api/me/update', password, 'account.password-changed');
    maria = await this.#logIn('mary', second, this.memberId);
    await this.#manageSessions(maria, admin, second);
    await this.#revokeEverything(admin, second);

    const account = await accountNamed(admin.client, 'mary');
    const edit = (actor: Actor, fields: object, ...types: string[]) =>
      actor.change(`${users}/update`, { ...account, ...fields }, ...types);
    await edit(admin, { permission: 8 }, 'account.changed');
    await edit(program, { permission: 8, base_path: '/home' }, 'account.changed');
    await edit(admin, { permission: 8, base_path: '/home', disabled: true }, 'account.disabled');
    await edit(admin, { permission: 8, base_path: '/home', disabled: false }, 'account.enabled');
    await this.#setPasswordAsOperator();
    await this.#manageSettings(admin, program);
    await admin.change(`${users}/delete?id=${this.memberId}`, undefined, 'account.deleted');
  }

  async #manageKeys(maria: Actor, admin: Actor): Promise<void> {
    for (const title of ['laptop', 'desktop'])
      await maria.change('/api/me/sshkey/add', { title, key: newKeyLine().line }, 'ssh-key.added');
    const { content } = (await maria.client.get('/api/me/sshkey/list')).data<{ content: { id: number }[] }>();
    const update = { id: content[0]!.id, title: 'old laptop', expires: '2030-01-31T12:00:00Z' };
    const updated = ['ssh-key.renamed', 'ssh-key.expiry-changed'];
    await maria.change('/api/me/sshkey/update', update, ...updated);
    await maria.change(`/api/me/sshkey/delete?id=${content[0]!.id}`, undefined, 'ssh-key.removed');
    await admin.change(`/api/admin/user/sshkey/delete?id=${content[1]!.id}`, undefined, 'ssh-key.removed');
  }

  /** Creates access tokens, uses the first, and revokes them. */
  async #manageTokens(maria: Actor, admin: Actor): Promise<void> {
    const [created, revoked] = ['access-token.created', 'access-token.revoked'];
    const create = async (name: string) => {
      const wanted = { name, scopes: ['keys:manage'] };
      const answer = await maria.change('/api/me/tokens', wanted, created);
      const token = answer.data<{ id: number; token: string }>();
      this.#secret(`access token ${name}`, token.token);
      return token;
    };
    const [one, other] = [await create('backup'), await create('deploy')];
    const by = `access-token:${this.memberId}:${one.id}`;
    const program = new Actor(this.#api.as(one.token), by, '', this);
    const key = { title: 'by a program', key: newKeyLine().line };
    await program.change('/api/me/sshkey/add', key, 'ssh-key.added');
    await maria.change('/api/me/tokens/revoke', { id: one.id }, revoked);
    await admin.change('/api/admin/token/revoke', { id: other.id }, revoked);
  }

  /** Creates app passwords and revokes them. */
  async #manageAppPasswords(maria: Actor, admin: Actor): Promise<void> {
    const [created, revoked] = ['app-password.created', 'app-password.revoked'];
    const create = async (name: string) => {
      const wanted = { name, protocol: 'webdav' };
      const answer = await maria.change('/api/me/app_passwords', wanted, created);
      const { id, password } = answer.data<{ id: number; password: string }>();
      this.#secret(`app password ${name}`, password);
      return { id };
    };
    const [one, other] = [await create('phone'), await create('tablet')];
    await maria.change('/api/me/app_passwords/revoke', one, revoked);
    await admin.change('/api/admin/app_password/revoke', other, revoked);
  }

  async #manageTwoFactor(maria: Actor, admin: Actor): Promise<void> {
    const factor = '/api/auth/2fa';
    const password = 'the first password';
    let enrolments = 0;
    const enrol = async () => {
      const started = 'account.two-factor-enrolment-started';
      const answer = await maria.change(`${factor}/generate`, undefined, started);
      const code = this.#secret(`enrolment ${(enrolments += 1)}`, answer.data<{ secret: string }>().secret);
      const body = { code: codeNow(code), secret: code };
      await maria.change(`${factor}/verify`, body, 'account.two-factor-enabled');
    };
    await enrol();
    const generated = 'account.recovery-codes-generated';
    const codes = (await maria.change(`${factor}/recovery_codes`, { password }, generated)).data<{
      recovery_codes: string[];
    }>().recovery_codes;
    for (const [index, code] of codes.entries()) this.#secret(`recovery code ${index}`, code);
    await this.#logIn('maria', password, this.memberId, codes[0]);
    await maria.change(`${factor}/disable`, { password }, 'account.two-factor-disabled');
    await enrol();
    await admin.change(`/api/admin/user/cancel_2fa?id=${this.memberId}`, undefined, 'account.two-factor-disabled');
  }

  async #manageSessions(maria: Actor, admin: Actor, password: string): Promise<void> {
    const ended = 'session.ended';
    const sessionOf = async ({ client }: Actor) =>
      (await client.get('/api/me/sessions'))
        .data<{ session_id: string; current: boolean }[]>()
        .find(({ current }) => current)!.session_id;
    const others = [
      await this.#logIn('mary', password, this.memberId),
      await this.#logIn('mary', password, this.memberId),
    ] as const;
    await maria.change('/api/me/sessions/evict', { session_id: await sessionOf(others[0]) }, ended);
    const second = { session_id: await sessionOf(others[1]) };
    await admin.change('/api/admin/session/evict', second, ended);
    await maria.change('/api/me/sessions/evict', { others: true }, 'account.sessions-evicted');
    this.called.add('POST /api/auth/login/hash');
    const ip = `172.21.0.${(this.#addresses += 1)}`;
    const hashed = { username: 'mary', password: this.#secret('static hash', staticHash(password)) };
    const answer = await this.#api.from(ip).post('/api/auth/login/hash', hashed);
    this.made.push({ type: 'session.started', about: this.memberId, by: `login:${this.memberId}`, ip });
    const leaving = this.#api.as(answer.data<{ token: string }>().token);
    this.called.add('GET /api/auth/logout');
    (await leaving.get('/api/auth/logout')).data();
    this.made.push({ type: ended, about: this.memberId, by: `session:${this.memberId}`, ip });
    await admin.change('/api/admin/session/evict', { user_id: this.memberId }, 'account.sessions-evicted');
  }

  /** Ends all sessions and revokes all secrets, as the owner and as an administrator. */
  async #revokeEverything(admin: Actor, password: string): Promise<void> {
    const maria = await this.#logIn('mary', password, this.memberId);
    const token = { name: 'last token', scopes: ['keys:manage'] };
    const created = await maria.change('/api/me/tokens', token, 'access-token.created');
    this.#secret('last access token', created.data<{ token: string }>().token);
    const phone = { name: 'last phone', protocol: 'any' };
    const added = await maria.change('/api/me/app_passwords', phone, 'app-password.created');
    this.#secret('last app password', added.data<{ password: string }>().password);
    const [evicted, revoked] = ['account.sessions-evicted', ['access-token.revoked', 'app-password.revoked']];
    await maria.change('/api/me/revoke-everything', undefined, evicted, ...revoked);
    await admin.change(`/api/admin/user/revoke-everything?id=${this.memberId}`, undefined, evicted);
  }

  async #setPasswordAsOperator(): Promise<void> {
    const password = this.#secret('password by the operator', 'set by the operator');
    const { status, err } = await this.operate(`${password}\n`, 'account', 'set-password', 'mary');
    if (status !== 0) throw new Error(err);
    this.made.push({ type: 'account.password-changed', about: this.memberId, by: 'operator', ip: '' });
  }

  async #manageSettings(admin: Actor, program: Actor): Promise<void> {
    const value = this.#secret('secret setting', 'a value that nobody may see');
    await admin.changeSettings('save', [{ key: 'old_setting', value }]);
    const title = this.#secret('private setting', 'a title that no history shows');
    await program.changeSettings('save', [{ key: 'site_title', value: title }]);
    await admin.changeSettings('delete?key=old_setting');
    const answer = await admin.changeSettings('reset_token');
    this.#secret('new static token', answer.data<string>());
  }
}
