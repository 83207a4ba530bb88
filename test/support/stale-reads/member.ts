import type { AccountClient, Envelope, ListedKey } from '../account-client.js';
import { keyLine } from '../key-line.js';
import { inWords, PairedReads, refusedWith, type ClientPair, type Judge, type Send } from './paired-reads.js';

/**
 * An account whose every change goes through one client and is then read through the other; the clients alternate.
 * Nobody else changes it, so its expected state is known.
 */
export class Member {
  readonly reads: PairedReads;
  #titles: string[] = [];
  #shown: readonly ListedKey[] = [];
  #token = '';
  #password: string;

  private constructor(
    clients: ClientPair,
    private readonly admin: string,
    private account: { id: number; username: string; sso_id: string; base_path: string; disabled: boolean },
  ) {
    this.#password = account.username;
    this.reads = new PairedReads(clients, () => this.account.username);
  }

  /** Creates the account and logs it in. `admin` is the administrator's token. */
  static async create(clients: ClientPair, admin: string, username: string): Promise<Member> {
    const body = { username, password: username, role: 0, base_path: '/' };
    expectDone(await clients[0].send('POST', '/api/admin/user/create', admin, body));
    const { content } = await clients[1].get<{ content: { id: number; username: string }[] }>(
      '/api/admin/user/list?per_page=0',
      admin,
    );
    const id = content.find((each) => each.username === username)?.id;
    if (id === undefined) throw new Error(`${username} is not listed`);
    const member = new Member(clients, admin, { id, username, sso_id: '', base_path: '/', disabled: false });
    member.#token = await member.#logIn();
    return member;
  }

  /** Makes fourteen changes that end no session. */
  async changeAccount(round: number): Promise<void> {
    const title = `key ${round}`;
    await this.reads.pair('a key that was added', (client) => this.#add(client, title), this.#keys, this.#judgeKeys);
    this.account.sso_id = `sso ${round}`;
    await this.reads.pair('a profile that was changed', this.#saveOwn(), this.#me, this.#judgeMe);
    this.account.base_path = `/folder-${round}`;
    await this.reads.pair('an account that an administrator changed', this.#saveAsAdmin, this.#me, this.#judgeMe);
    this.account.base_path = `/history-${round}`;
    await this.reads.pair('a change in the history', this.#saveAsAdmin, this.#newest, this.#judgeNewest);
    let accessToken: NewToken | undefined;
    const create: Send = async (client) => {
      // In a long run, the login may not be recent.
      const body = { name: title, scopes: ['profile:read'], password: this.#password };
      const answer = await client.send('POST', '/api/me/tokens', this.#token, body);
      accessToken = answer?.data as NewToken;
      return answer;
    };
    const meOfProgram: Send = (client) => client.send('GET', '/api/me', accessToken?.token);
    await this.reads.pair('an access token that was created', create, meOfProgram, this.#judgeMe);
    this.account.disabled = true;
    await this.reads.pair('an account that was disabled', this.#saveAsAdmin, this.#me, refusedWith('disabled'));
    this.account.disabled = false;
    await this.reads.pair('an account that was enabled', this.#saveAsAdmin, this.#me, this.#judgeMe);
    await this.reads.pair('a key that was renamed', (client) => this.#renameFirst(client), this.#keys, this.#judgeKeys);
    this.account.disabled = true;
    const programOf = 'an access token whose account was';
    await this.reads.pair(`${programOf} disabled`, this.#saveAsAdmin, meOfProgram, refusedWith('disabled'));
    this.account.disabled = false;
    await this.reads.pair(`${programOf} enabled`, this.#saveAsAdmin, meOfProgram, this.#judgeMe);
    const revoke: Send = (client) => client.send('POST', '/api/me/tokens/revoke', this.#token, { id: accessToken?.id });
    await this.reads.pair('an access token that was revoked', revoke, meOfProgram, refusedWith('token is invalidated'));
    await this.#changeAppPasswords(title);
    await this.reads.pair('a key that was deleted', (client) => this.#removeFirst(client), this.#keys, this.#judgeKeys);
  }

  /** Creates an app password and revokes it. */
  async #changeAppPasswords(name: string): Promise<void> {
    let id = 0;
    const create: Send = async (client) => {
      const answer = await client.send('POST', '/api/me/app_passwords', this.#token, {
        name,
        protocol: 'any',
        password: this.#password,
      });
      id = (answer?.data as { id: number } | null)?.id ?? 0;
      return answer;
    };
    const list: Send = (client) => client.send('GET', '/api/me/app_passwords', this.#token);
    const listing =
      (due: readonly string[]): Judge =>
      ({ code, message, data }) => {
        if (code !== 200) return `${code} ${message}`;
        const shown = (data as { name: string }[]).map((each) => each.name);
        return shown.join() === due.join() ? undefined : `the app passwords are [${shown.join()}], not [${due.join()}]`;
      };
    await this.reads.pair('an app password that was created', create, list, listing([name]));
    const revoke: Send = (client) => client.send('POST', '/api/me/app_passwords/revoke', this.#token, { id });
    await this.reads.pair('an app password that was revoked', revoke, list, listing([]));
  }

  /** Makes seven changes that start or end sessions. Each costs password hashes. */
  async changeSessions(round: number): Promise<void> {
    let other = await this.#logIn();
    const meOfOther: Send = (client) => client.send('GET', '/api/me', other);
    const ended = refusedWith('token is invalidated');
    const evict =
      (body: object): Send =>
      (client) =>
        client.send('POST', '/api/me/sessions/evict', this.#token, body);
    await this.reads.pair('a session that was evicted with all others', evict({ others: true }), meOfOther, ended);
    const logInAgain: Send = async (client) => {
      other = (await client.login(this.account.username, this.#password)) ?? '';
      return { code: other === '' ? 503 : 200, message: '', data: null };
    };
    await this.reads.pair(
      'a session that was started',
      logInAgain,
      this.#sessions,
      judgeSessions(this.#token, () => other),
    );
    await this.reads.pair('a session that was evicted', evict({ session_id: jtiOf(other) }), meOfOther, ended);

    other = await this.#logIn();
    const logOut: Send = (client) => client.send('GET', '/api/auth/logout', other);
    await this.reads.pair('a session that was logged out', logOut, meOfOther, ended);

    const password = `password ${round}`;
    await this.reads.pair(
      'a password that was changed',
      this.#saveOwn(password),
      this.#me,
      refusedWith('Password has been'),
    );
    this.#password = password;
    this.#token = await this.#logIn();

    this.account.username = `${this.account.username.split('.')[0]}.${round}`;
    const gone = refusedWith('failed find user');
    await this.reads.pair('an account that was renamed', this.#saveAsAdmin, this.#me, gone);
    this.#token = await this.#logIn();
  }

  readonly #me: Send = (client) => client.send('GET', '/api/me', this.#token);
  readonly #sessions: Send = (client) => client.send('GET', '/api/me/sessions', this.#token);
  readonly #newest: Send = (client) => client.send('GET', '/api/me/activity?limit=1', this.#token);
  readonly #keys: Send = (client) => client.send('GET', '/api/me/sshkey/list', this.#token);

  async #add(client: AccountClient, title: string): Promise<Envelope | undefined> {
    this.#titles.push(title);
    return client.addKey(this.#token, title, keyLine(`${this.account.id} ${title}`).line);
  }

  /** Renames the first key of the last list. */
  async #renameFirst(client: AccountClient): Promise<Envelope | undefined> {
    const [first] = this.#shown;
    if (!first) return undefined;
    const title = `${first.title} renamed`;
    this.#titles = this.#titles.map((each) => (each === first.title ? title : each));
    return client.send('POST', '/api/me/sshkey/update', this.#token, { id: first.id, title });
  }

  /** Removes the first key of the last list. */
  async #removeFirst(client: AccountClient): Promise<Envelope | undefined> {
    const [first] = this.#shown;
    if (!first) return undefined;
    this.#titles = this.#titles.filter((title) => title !== first.title);
    return client.removeKey(this.#token, first.id);
  }

  #saveOwn(password = ''): Send {
    const { username, sso_id } = this.account;
    return (client) => client.send('POST', '/api/me/update', this.#token, { username, password, sso_id });
  }

  readonly #saveAsAdmin: Send = (client) =>
    client.send('POST', '/api/admin/user/update', this.admin, {
      ...this.account,
      password: '',
      role: 0,
      permission: 0,
    });

  readonly #judgeMe: Judge = ({ code, message, data }) => {
    if (code !== 200) return `${code} ${message}`;
    const shown = data as Record<string, unknown>;
    const wrong = Object.entries(this.account).filter(([name, value]) => shown[name] !== value);
    return wrong.length === 0
      ? undefined
      : `${JSON.stringify(shown)} is not ${JSON.stringify(Object.fromEntries(wrong))}`;
  };

  readonly #judgeNewest: Judge = ({ code, message, data }) => {
    if (code !== 200) return `${code} ${message}`;
    const [newest] = (data as { content: { details: { base_path?: string } }[] }).content;
    const { base_path } = this.account;
    return newest?.details.base_path === base_path ? undefined : `${JSON.stringify(newest)} is not about ${base_path}`;
  };

  readonly #judgeKeys: Judge = ({ code, message, data }) => {
    if (code !== 200) return `${code} ${message}`;
    this.#shown = (data as { content: ListedKey[] }).content;
    const due = this.#titles.toSorted().join(', ');
    const shown = this.#shown
      .map(({ title }) => title)
      .toSorted()
      .join(', ');
    return shown === due ? undefined : `the keys are [${shown}], not [${due}]`;
  };

  /** Logs in through the client that did not make the last change. */
  async #logIn(): Promise<string> {
    const token = await this.reads.nextWriter().login(this.account.username, this.#password);
    if (token === undefined) throw new Error(`login of ${this.account.username} timed out`);
    return token;
  }
}

/** The fields of a new access token that the test reads. */
type NewToken = Readonly<{ id: number; token: string }>;

/** Expects exactly the sessions of both tokens in a list. `other` is read when the answer is judged. */
const judgeSessions =
  (token: string, other: () => string): Judge =>
  ({ code, message, data }) => {
    if (code !== 200) return `${code} ${message}`;
    const shown = (data as { session_id: string }[]).map(({ session_id }) => session_id).toSorted();
    const due = [token, other()].map(jtiOf).toSorted();
    return shown.join() === due.join() ? undefined : `the sessions are [${shown.join()}], not [${due.join()}]`;
  };

/** Returns the id of the session that a token belongs to. */
const jtiOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string }).jti;

function expectDone(answer: Envelope | undefined): void {
  if (answer?.code !== 200) throw new Error(inWords(answer));
}
